#!/usr/bin/env bash
# Tries `casetrack service` of the Debian package under a systemd that really runs: as the first process of namespaces of its own, in a
# bare Debian without the repository and without a network. Needs Linux with cgroup2, root, and the bare system of try.sh; the first run
# installs systemd in a copy of it (network). usage: scripts/package/try_service.sh DIR
# DIR holds the packages that scripts/package.sh made. CASETRACK_ROOTS names where the bare systems are kept.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

ROOTS=${CASETRACK_ROOTS:-$HOME/.cache/casetrack/roots}
ROOT=$ROOTS/try-service
PATIENCE=60 # seconds

# --- the first process of the namespaces, before systemd takes its place ---

boot() {
    mount --make-rprivate /
    mount --bind "$ROOT" "$ROOT"
    cd "$ROOT"
    mount -t proc proc proc
    mount -t sysfs sysfs sys
    mount -t cgroup2 cgroup2 sys/fs/cgroup
    mount -t tmpfs -o mode=755 tmpfs run
    mount -t tmpfs -o mode=755 tmpfs dev
    local device
    for device in null:3 zero:5 full:7 random:8 urandom:9; do mknod -m 666 "dev/${device%:*}" c 1 "${device#*:}"; done
    mkdir dev/shm outside
    mount -t tmpfs tmpfs dev/shm
    pivot_root . outside
    exec env -i container=casetrack PATH=/usr/sbin:/usr/bin:/sbin:/bin sh -c 'umount -l /outside && exec /lib/systemd/systemd'
}

if [ "${1:-}" = --boot ]; then boot; fi

# --- outside ---

[ $# -eq 1 ] || fail "Where are the packages?" "usage: scripts/package/try_service.sh DIR"
packages=$(cd "$1" && pwd)
[ "$(id -u)" -eq 0 ] || fail "Only root can make and enter the bare system." "Run it with sudo."
package=$(compgen -G "$packages/casetrack_*.deb") || fail "No Debian package in $packages." "Make it with scripts/package.sh."
groups=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
[ -n "$groups" ] || fail "No cgroup2 is mounted here, which systemd needs."

if [ ! -e "$ROOTS/systemd.ready" ]; then
    say "Making a bare Debian with systemd in $ROOTS/systemd"
    [ -e "$ROOTS/bare.ready" ] || fail "There is no bare Debian yet." "Run scripts/package/try.sh first, which makes it."
    rm -rf -- "$ROOTS/systemd"
    cp -a --reflink=auto "$ROOTS/bare" "$ROOTS/systemd"
    chroot "$ROOTS/systemd" apt-get install -qq --yes --no-install-recommends systemd-sysv libpam-systemd dbus-user-session \
        >"$ROOTS/systemd.log" 2>&1 </dev/null
    mkdir -p "$ROOTS/systemd/var/lib/systemd/linger"
    touch "$ROOTS/systemd/var/lib/systemd/linger/ann" "$ROOTS/systemd.ready"
fi
rm -rf -- "$ROOT"
cp -a --reflink=auto "$ROOTS/systemd" "$ROOT"
cp "$package" "$ROOT/tmp/casetrack.deb"
chroot "$ROOT" dpkg --install /tmp/casetrack.deb >"$ROOTS/service.log" 2>&1 </dev/null ||
    fail "The package cannot be installed:" "$(cat "$ROOTS/service.log")"

group=$groups/casetrack-try-$$
mkdir "$group"
(echo "$BASHPID" >"$group/cgroup.procs" && exec unshare --mount --net --pid --uts --ipc --cgroup --fork --kill-child "$0" --boot) &
outer=$!
trap 'kill -9 $outer 2>/dev/null; wait $outer 2>/dev/null; find "$group" -depth -type d -exec rmdir {} + 2>/dev/null; rm -rf -- "$ROOT"' EXIT

user=$(chroot "$ROOT" id -u ann)
as_user() {
    nsenter --target "$(pgrep --parent $outer)" --mount --pid --net --uts --ipc --cgroup --root --wd -- runuser --user ann -- env -i \
        HOME=/home/ann PATH=/usr/bin:/bin LANG=C.UTF-8 XDG_RUNTIME_DIR="/run/user/$user" "$@"
}
# until_it_is WHAT COMMAND...
until_it_is() {
    local what=$1 left=$PATIENCE
    shift
    until "$@" >/dev/null 2>&1; do
        left=$((left - 1))
        [ $left -gt 0 ] || fail "Not so after $PATIENCE s: $what"
        sleep 1
    done
    printf '  %s\n' "$what"
}
says() { # says WORDS COMMAND...: a command's output has these words, whatever its status
    local words=$1
    shift
    { as_user casetrack "$@" 2>&1 || true; } | grep -q -- "$words"
}
process() { as_user systemctl --user show --property MainPID --value casetrack.service; }

until_it_is "systemd runs, and the user's own with it" as_user systemctl --user is-system-running
as_user cp -R /usr/share/casetrack/samples/harbour-point /home/ann/matter
# The scan is read without tesseract, so the status is 0.
as_user casetrack -q start /home/ann/matter --no-connect >/dev/null
says "runs under systemd" service install || fail "The service does not run: $(as_user journalctl --user --no-pager -n 20)"
until_it_is "installed; it takes over from the process of the commands" test "$(process)" -gt 0
as_user systemctl --user is-enabled --quiet casetrack.service || fail "The service does not start at login."
as_user sh -c 'echo "The mooring costs 77 crowns a month." >/home/ann/matter/mooring.txt'
until_it_is "a new file of the watched folder is found by a search" says "mooring.txt" -q search "mooring crowns" -k 1
first=$(process)
as_user sh -c "kill -9 $first"
until_it_is "killed, it is started again" eval '[ "$(process)" -gt 0 ] && [ "$(process)" -ne '"$first"' ]'
says "the service with it" stop || fail "\`casetrack stop\` does not stop the service."
until_it_is "stopped with \`casetrack stop\`" says "does not run" service status
says "runs under systemd" service start || fail "The service cannot be started again."
says "is removed" service uninstall || fail "The service cannot be removed."
until_it_is "removed" says "not installed" service status
[ -z "$(as_user find /home/ann/.config/systemd -type f -o -type l)" ] || fail "Files of the service are left."
say "The service works under $(chroot "$ROOT" systemctl --version | head -n1)"
