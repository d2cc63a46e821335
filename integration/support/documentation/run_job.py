#!/usr/bin/env python3
"""Runs a job as its CI service would: run_job.py SERVICE FILE FOLDER [NAME=VALUE...] [--secret NAME=VALUE]...

SERVICE is github, forgejo, gitlab or woodpecker, FILE the YAML with one job, FOLDER the runner's. NAME=VALUE are the
variables that the service sets. What a job has to ask for in its YAML is there only if it does:

  github, forgejo  ACTIONS_ID_TOKEN_REQUEST_URL and ACTIONS_ID_TOKEN_REQUEST_TOKEN, with `permissions: id-token: write`
                   in the first, and with `enable-openid-connect: true` in the second
  gitlab           the variables of `id_tokens`, of which --id-token gives the value
  all              secrets, where the YAML names them: ${{ secrets.NAME }}, from_secret, or any variable for gitlab

A step of github and forgejo is a shell of its own, which takes from the ones before it what they have written to
GITHUB_ENV and GITHUB_PATH. The lines of gitlab are one shell. A step of woodpecker is a container of its own, with a new
home, and ${NAME} is replaced in its YAML before the shell sees it. The status is that of the first step that fails.
"""

import argparse
import os
import re
import subprocess
import sys

import yaml


def pairs(words):
    return dict(word.split("=", 1) for word in words)


def run(shell, script, environment, folder):
    path = os.path.join(folder, "script")
    with open(path, "w", encoding="utf-8") as file:
        file.write(script)
    result = subprocess.run([*shell, path], env=environment, cwd=os.path.join(folder, "work"), stdin=subprocess.DEVNULL, check=False)
    if result.returncode != 0:
        sys.exit(result.returncode if result.returncode > 0 else 128 - result.returncode)


def the_one(jobs):
    if len(jobs) != 1:
        sys.exit(f"run_job.py: {len(jobs)} jobs")
    return jobs[0]


def texts(values):
    """As the services make text of YAML's values."""
    return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in (values or {}).items()}


class Actions:
    """GitHub's, and Forgejo's after it."""

    def __init__(self, options, given):
        self.options, self.given = options, given

    def expanded(self, values):
        def value_of(match):
            kind, name = match.group(1).split(".", 1)
            if kind not in ("secrets", "vars"):
                sys.exit(f"run_job.py: this runner doesn't know {match.group(0)}")
            return (self.options.secrets if kind == "secrets" else self.given).get(name, "")

        return {name: re.sub(r"\$\{\{ *([\w.]+) *\}\}", value_of, value) for name, value in texts(values).items()}

    def may_have_a_token(self, workflow, job):
        if self.options.service == "forgejo":
            return workflow.get("enable-openid-connect") is True
        return (job.get("permissions") or workflow.get("permissions") or {}).get("id-token") == "write"

    def run(self, workflow):
        folder = self.options.folder
        job = the_one(list(workflow["jobs"].values()))
        files = {name: os.path.join(folder, name) for name in ("GITHUB_ENV", "GITHUB_PATH")}
        environment = {**os.environ, **self.given, **files, "CI": "true", "GITHUB_ACTIONS": "true"}
        if not self.may_have_a_token(workflow, job):
            for name in [name for name in environment if name.startswith("ACTIONS_ID_TOKEN_REQUEST_")]:
                del environment[name]
        environment["RUNNER_TEMP"] = os.path.join(folder, "temp")
        os.mkdir(environment["RUNNER_TEMP"])
        environment.update(self.expanded(workflow.get("env")))
        environment.update(self.expanded(job.get("env")))
        for step in job["steps"]:
            for path in files.values():
                with open(path, "w", encoding="utf-8"):
                    pass
            # Not with pipefail, which only `shell: bash` sets.
            shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail"] if step.get("shell") == "bash" else ["bash", "-e"]
            run(shell, step["run"], {**environment, **self.expanded(step.get("env"))}, folder)
            with open(files["GITHUB_ENV"], encoding="utf-8") as file:
                environment.update(pairs(file.read().splitlines()))
            with open(files["GITHUB_PATH"], encoding="utf-8") as file:
                environment["PATH"] = ":".join([*reversed(file.read().splitlines()), environment["PATH"]])


def gitlab(options, given, pipeline):
    job = the_one([each for each in pipeline.values() if isinstance(each, dict) and "script" in each])
    environment = {**os.environ, **given, **options.secrets, "CI": "true", "GITLAB_CI": "true"}
    environment.update(texts(pipeline.get("variables")))
    environment.update(texts(job.get("variables")))
    for name, token in (job.get("id_tokens") or {}).items():
        if "aud" not in token:
            sys.exit(f"run_job.py: {name} has no aud")
        environment[name] = options.id_token
    lines = [*job.get("before_script", []), *job["script"]]
    run(["bash"], "set -eo pipefail\n" + "\n".join(lines) + "\n", environment, options.folder)


def woodpecker(options, given, text):
    def replaced(match):
        return "$" if match.group(0) == "$$" else given.get(match.group(1), "")

    pipeline = yaml.safe_load(re.sub(r"\$\$|\$\{(\w+)\}", replaced, text))
    for number, step in enumerate(pipeline["steps"]):
        environment = {**os.environ, **given, "CI": "woodpecker", "HOME": os.path.join(options.folder, f"home-{number}")}
        os.mkdir(environment["HOME"], 0o700)
        for name, value in (step.get("environment") or {}).items():
            environment[name] = options.secrets[value["from_secret"]] if isinstance(value, dict) else str(value)
        run(["sh", "-e"], "\n".join(step["commands"]) + "\n", environment, options.folder)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("service", choices=["github", "forgejo", "gitlab", "woodpecker"])
    parser.add_argument("file")
    parser.add_argument("folder")
    parser.add_argument("variables", nargs="*")
    parser.add_argument("--secret", action="append", default=[], dest="secrets")
    parser.add_argument("--id-token", default="")
    options = parser.parse_intermixed_args()
    options.secrets = pairs(options.secrets)
    given = pairs(options.variables)
    os.makedirs(os.path.join(options.folder, "work"))
    with open(options.file, encoding="utf-8") as file:
        text = file.read()
    if options.service == "woodpecker":
        woodpecker(options, given, text)
    elif options.service == "gitlab":
        gitlab(options, given, yaml.safe_load(text))
    else:
        Actions(options, given).run(yaml.safe_load(text))


if __name__ == "__main__":
    main()
