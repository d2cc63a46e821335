#!/usr/bin/env python3
"""Prints, as SPDX 2.3 in JSON, what is in the programs of a release.

What is linked into them is in the archive's file `linked-libraries`, and the Swift packages are those of Package.resolved.
The same release gives the same bytes.
"""

import argparse
import datetime
import hashlib
import json
import os
import pathlib
import re
import sys
import urllib.parse

# By Debian's name of the source package, without the number that compilers have in theirs.
LICENSES = {
    "expat": "MIT",
    "gcc": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "glibc": "LGPL-2.1-or-later",
    "libgcrypt20": "LGPL-2.1-or-later",
    "libgpg-error": "LGPL-2.1-or-later",
    "libsodium": "ISC",
    "nettle": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "swift": "Apache-2.0 WITH Swift-exception",
    "swift-argument-parser": "Apache-2.0 WITH Swift-exception",
}

# The package of each program, and what is linked into it. All of them have Swift's runtime.
PROGRAMS = {
    "bin/llavero": ("llavero", ["expat", "gcc", "glibc", "libsodium", "nettle", "swift-argument-parser"]),
    "bin/llavero-credential": ("llavero", ["gcc", "glibc", "libsodium"]),
    "libexec/llavero/llavero-forward": ("llavero", ["gcc", "glibc", "libgcrypt20", "libgpg-error", "libsodium"]),
    "libexec/llavero/llavero-network": ("llavero-network", ["gcc", "libgcrypt20", "libgpg-error", "libsodium"]),
    "libexec/llavero/llavero-secret-service": (
        "llavero-secret-service",
        ["expat", "gcc", "libgcrypt20", "libgpg-error", "libsodium", "nettle", "swift-argument-parser"],
    ),
}

# What is loaded when it is needed, and so has the version of the system where the program runs.
LOADED = {
    "libexec/llavero/llavero-network": {"curl": "curl"},
    "libexec/llavero/llavero-secret-service": {"glib2.0": "LGPL-2.1-or-later", "libsecret": "LGPL-2.1-or-later"},
}


def identifier(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def license_of(name):
    if name not in LICENSES:
        sys.exit(f"sbom: nobody has said which licence {name} has: integration/support/release/sbom.py")
    return LICENSES[name]


def package(name, version, license, purl=None, **further):
    entry = {
        "SPDXID": identifier(name),
        "name": name,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": license,
        "licenseDeclared": license,
        "copyrightText": "NOASSERTION",
    }
    if version:
        entry["versionInfo"] = version
    if purl:
        entry["externalRefs"] = [
            {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl}
        ]
    return entry | further


def linked_libraries(path):
    """For each package of programs, the source packages in it, each with its own name and its version."""
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    return {
        group: {
            re.sub(r"^gcc-[0-9]+$", "gcc", name): (name, version)
            for name, version in re.findall(r"([a-z0-9.+-]+) \(= ([^)]+)\)", libraries)
        }
        for group, libraries in (line.split(": ", 1) for line in lines)
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--version", required=True)
    parser.add_argument("--commit", required=True)
    parser.add_argument("--source", required=True, type=pathlib.Path, help="the archive of the sources")
    parser.add_argument("--tree", required=True, type=pathlib.Path, help="the unpacked archive of the programs")
    parser.add_argument("--resolved", required=True, type=pathlib.Path)
    parser.add_argument("--swift", required=True, help="the toolchain's version")
    parser.add_argument("--url", help="where the files can be downloaded")
    options = parser.parse_args()

    linked = linked_libraries(options.tree / "share/doc/llavero/linked-libraries")
    pins = {pin["identity"]: pin for pin in json.loads(options.resolved.read_text())["pins"]}
    for group, libraries in linked.items():
        known = {name for owner, names in PROGRAMS.values() if owner == group for name in names}
        if unknown := (known - pins.keys()) ^ libraries.keys():
            sys.exit(f"sbom: who says what is in {group} disagrees about {', '.join(sorted(unknown))}")
    if unused := pins.keys() - {name for _, names in PROGRAMS.values() for name in names}:
        sys.exit(f"sbom: nobody says which program has {', '.join(sorted(unused))}")

    packages = [
        package(
            "llavero",
            options.version,
            "MIT",
            f"pkg:generic/llavero@{options.version}",
            downloadLocation=f"{options.url}/{options.source.name}" if options.url else "NOASSERTION",
            packageFileName=options.source.name,
            checksums=[
                {"algorithm": "SHA256", "checksumValue": hashlib.sha256(options.source.read_bytes()).hexdigest()}
            ],
            sourceInfo=f"git commit {options.commit}",
            primaryPackagePurpose="SOURCE",
        ),
        package("swift", options.swift, license_of("swift"), f"pkg:generic/swift@{options.swift}"),
    ]
    for name, (source, version) in sorted({pair for libraries in linked.values() for pair in libraries.items()}):
        purl = f"pkg:deb/debian/{source}@{urllib.parse.quote(version, safe='')}?arch=source"
        packages.append(package(name, version, license_of(name), purl))
    for name, pin in sorted(pins.items()):
        state = pin["state"]
        version = state.get("version", state["revision"])
        place = re.sub(r"^https://|\.git$", "", pin["location"])
        packages.append(
            package(
                name,
                version,
                license_of(name),
                f"pkg:swift/{place}@{version}",
                downloadLocation=f"git+{pin['location']}@{state['revision']}",
            )
        )
    for name, license in sorted({pair for names in LOADED.values() for pair in names.items()}):
        packages.append(package(name, None, license))

    files, relations = [], []

    def relate(one, kind, other):
        relations.append({"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other})

    relate("SPDXRef-DOCUMENT", "DESCRIBES", identifier("llavero"))
    for path, (_, names) in sorted(PROGRAMS.items()):
        content = (options.tree / path).read_bytes()
        program = identifier("File-" + path.rpartition("/")[2])
        libraries = ["swift", *names]
        licenses = sorted({"MIT"} | {license_of(name) for name in libraries})
        files.append(
            {
                "SPDXID": program,
                "fileName": f"./{path}",
                "fileTypes": ["BINARY"],
                "checksums": [
                    {"algorithm": "SHA1", "checksumValue": hashlib.sha1(content).hexdigest()},
                    {"algorithm": "SHA256", "checksumValue": hashlib.sha256(content).hexdigest()},
                ],
                "licenseConcluded": " AND ".join(f"({one})" if " OR " in one else one for one in licenses),
                "licenseInfoInFiles": licenses,
                "copyrightText": "NOASSERTION",
            }
        )
        relate("SPDXRef-DOCUMENT", "DESCRIBES", program)
        relate(program, "GENERATED_FROM", identifier("llavero"))
        for name in sorted(libraries):
            relate(program, "STATIC_LINK", identifier(name))
        for name in sorted(LOADED.get(path, {})):
            relate(program, "DYNAMIC_LINK", identifier(name))

    created = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    content = {"packages": packages, "files": files, "relationships": relations}
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    name = options.tree.name
    document = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": name,
        "documentNamespace": f"https://spdx.org/spdxdocs/{name}-{digest[:32]}",
        "creationInfo": {
            "created": created.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": ["Organization: The llavero authors", f"Tool: llavero-release-{options.version}"],
        },
    } | content
    json.dump(document, sys.stdout, indent=2, sort_keys=True)
    print()


main()
