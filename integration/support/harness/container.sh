# shellcheck shell=bash
# Commands in a container's conditions, made by bubblewrap: no systemd, no display, no capabilities, no network, no
# $XDG_RUNTIME_DIR, no keyring, and of the file system only a home can be written to.

requires bubblewrap

# container [NAME]: sets $container to what runs a command in one, and $home to the home of its user, in $CASE/box. The
# user has this name, or none with -. Options of bubblewrap can be added at the end; after them comes `--`.
container() {
  local name=${1:-alice} venv
  venv=$(cd "$(dirname "$LLAVERO_TEST_PYTHON")/.." && pwd)
  home=$CASE/box/home
  install -d -m 700 "$CASE/box" "$home" "$CASE/box/tmp"
  # What the image starts for names on the bus.
  install -d "$CASE/services"
  echo 'root:x:0:0::/root:/bin/sh' >"$CASE/passwd"
  if [[ $name != - ]]; then echo "$name:x:4711:4711::$home:/bin/sh" >>"$CASE/passwd"; fi
  container=(env -i PATH="$PREFIX/bin:$BASE_PATH" HOME="$home" LC_ALL=C.UTF-8
    bwrap --unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try --die-with-parent --new-session
    --uid 4711 --gid 4711 --ro-bind / / --dev /dev --proc /proc --tmpfs /run --tmpfs /tmp
    --ro-bind "$PREFIX" "$PREFIX" --ro-bind "$ROOT" "$ROOT" --ro-bind "$venv" "$venv" --bind "$CASE/box" "$CASE/box"
    --ro-bind "$CASE/passwd" /etc/passwd --ro-bind "$CASE/services" /usr/share/dbus-1/services --chdir "$home")
  "${container[@]}" -- true 2>"$CASE/bwrap" || skip "bubblewrap makes no container here: $(tail -n 1 "$CASE/bwrap")"
}

# inside [COMMAND...]: as run does, in the container
inside() {
  run "${container[@]}" -- "$@"
}

# on_its_bus SCRIPT: as run does, in the container, in bash on a bus that lives as long as that; what the bus says is in
# $CASE/bus.log
on_its_bus() {
  # The bus, and with it what it starts, has a standard error of its own.
  run "${container[@]}" -- dbus-run-session -- bash -c "exec 2>&3; set -e; $1" 3>"$CASE/said"
  mv "$CASE/stderr" "$CASE/bus.log"
  mv "$CASE/said" "$CASE/stderr"
}

# docker_rules FILE: a seccomp program that denies what docker denies by default and a program here could use
docker_rules() {
  python3 - "$1" <<'PYTHON'
import os, struct, sys
# Names and numbers: asm/unistd.h. EPERM, as docker has it.
calls = {"x86_64": (0xC000003E, {"add_key": 248, "request_key": 249, "keyctl": 250, "memfd_secret": 447,
                                 "io_uring_setup": 425, "userfaultfd": 323, "ptrace": 101, "kcmp": 312,
                                 "process_vm_readv": 310}),
         "aarch64": (0xC00000B7, {"add_key": 217, "request_key": 218, "keyctl": 219, "memfd_secret": 447,
                                  "io_uring_setup": 425, "userfaultfd": 282, "ptrace": 117, "kcmp": 272,
                                  "process_vm_readv": 270})}
machine, numbers = calls[os.uname().machine]
LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06
numbers = sorted(numbers.values())
program = [(LOAD, 0, 0, 4), (EQUAL, 1, 0, machine), (RETURN, 0, 0, 0x7FFF0000), (LOAD, 0, 0, 0)]
for index, number in enumerate(numbers):
    program.append((EQUAL, len(numbers) - index, 0, number))
program += [(RETURN, 0, 0, 0x7FFF0000), (RETURN, 0, 0, 0x00050000 | 1)]
with open(sys.argv[1], "wb") as file:
    for code, when_true, when_false, value in program:
        file.write(struct.pack("=HBBI", code, when_true, when_false, value))
PYTHON
}
