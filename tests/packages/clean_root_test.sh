#!/usr/bin/env bash
# clean_root_test - the .deb packages in a minimal Debian 12 that has never seen this project.
#   clean_root_test.sh PACKAGES [FOLDER]     FOLDER: for the root; default: a temporary one
# Needs root, debootstrap and Debian's servers, and takes minutes: `make packages-test` runs it.
#   1. The steps of the container's recipe install the server; its command starts as the named user,
#      answers PING, ends well on SIGTERM, and after kill -9 has what it had acknowledged.
#   2. The other packages are installed; C and C++ programs are built by pkg-config and find_package, and
#      run, and so does a Python program.
#   3. Removed and purged: the programs are gone, the database is not.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source_root="$here/../.."
packages="$(realpath "${1:?usage: clean_root_test.sh PACKAGES [FOLDER]}")"
folder="${2:-$(mktemp -d)}"
root="$folder/root"
mirror=http://deb.debian.org/debian
recipe="$source_root/packaging/container/Containerfile"
server=0

step() { printf '== %s\n' "$*"; }
fail() { printf 'clean_root_test: %s\n' "$*" >&2; exit 1; }
inside() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive \
  LC_ALL=C "$@"; }
clean_up() {
  ((server == 0)) || kill -KILL "$server" 2>/dev/null || true
  umount "$root/proc" 2>/dev/null || true
  [[ -z "${own_folder:-}" ]] || rm -rf "$folder"
}
[[ $# -gt 1 ]] || own_folder=yes
trap clean_up EXIT

# The command of the recipe, as its user, on a free port. Sets `server` and `port`.
start() {
  local log="$folder/serve.log" words
  : >"$log"
  mapfile -t words < <(sed -n 's/^ENTRYPOINT //p' "$recipe" | tr -d '[]"' | sed 's/, */\n/g')
  chroot --userspec=mayfly:mayfly "$root" "${words[@]}" --port 0 --http-port 0 "$@" >"$log" 2>&1 &
  server=$!
  for _ in $(seq 300); do
    port="$(sed -n 's/^ *Redis protocol: [^:]*:\([0-9]*\).*/\1/p' "$log")"
    [[ -n "$port" ]] && grep -q '^Ctrl-C' "$log" && return
    kill -0 "$server" 2>/dev/null || break
    sleep 0.1
  done
  cat "$log" >&2
  fail "the server did not start"
}

# The reply to an inline command.
ask() {
  local reply
  exec 3<>"/dev/tcp/127.0.0.1/$port"
  printf '%s\r\n' "$*" >&3
  IFS= read -r -t 30 reply <&3
  if [[ "$reply" == '$'[0-9]* ]]; then IFS= read -r -t 30 reply <&3; fi
  exec 3>&-
  printf '%s' "${reply%$'\r'}"
}
expect() {
  local wanted="$1" got
  shift
  got="$(ask "$@")"
  [[ "$got" == "$wanted" ]] || fail "$*: '$got', not '$wanted'"
}

step "a minimal Debian"
[[ -e "$root/etc/debian_version" ]] || {
  debootstrap --variant=minbase bookworm "$root" "$mirror" >"$folder/debootstrap.log" 2>&1 ||
    { tail -20 "$folder/debootstrap.log" >&2; fail "debootstrap failed"; }
}
mount -t proc proc "$root/proc"

step "the steps of the recipe"
[[ "$(sed -n 's/^FROM //p' "$recipe")" == debian:bookworm-slim ]] || fail "the recipe begins elsewhere"
cp "$packages"/mayfly-server_*.deb "$root/tmp/"
steps="$(sed -n '/^RUN /,/[^\\]$/p' "$recipe" | sed 's/^RUN //')"
inside sh -ec "$steps" >"$folder/apt.log" 2>&1 || { tail -20 "$folder/apt.log" >&2; fail "a step failed"; }
[[ "$(sed -n 's/^USER //p' "$recipe")" == mayfly ]] || fail "the recipe's user is another one"
inside getent passwd mayfly | grep -q ':/var/lib/mayfly:/usr/sbin/nologin$' || fail "the user was not made"
[[ "$(inside stat -c '%U:%G %a' /etc/mayfly/mayfly.toml)" == "root:mayfly 640" ]] || fail "settings: wrong rights"
[[ "$(inside stat -c '%U:%G %a' /var/lib/mayfly)" == "mayfly:mayfly 700" ]] || fail "state: wrong rights"

step "the service's command"
start
expect +PONG PING
expect +OK SET kept yes
expect +OK SET mortal yes PX 1
kill -TERM "$server"
wait "$server" || fail "SIGTERM: exit code $?"
start
expect yes GET kept
expect '$-1' GET mortal
expect +OK SET after-kill yes
kill -KILL "$server"
wait "$server" 2>/dev/null || true
start
expect yes GET after-kill
expect yes GET kept
kill -TERM "$server"
wait "$server" || fail "SIGTERM: exit code $?"
server=0

step "the library, without a compiler's help"
cp "$packages"/libmayfly*.deb "$root/tmp/"
inside sh -ec 'apt-get -qq update; apt-get install -qq --yes --no-install-recommends /tmp/libmayfly*.deb
  dpkg-query --show --showformat="\${Package}\n" | grep -- -dev | grep -v libmayfly-dev >/tmp/others || true' \
  >"$folder/apt.log" 2>&1 || { tail -20 "$folder/apt.log" >&2; fail "the library cannot be installed"; }
[[ ! -s "$root/tmp/others" ]] || fail "libmayfly-dev brings: $(cat "$root/tmp/others")"

step "programs of users"
inside apt-get install -qq --yes --no-install-recommends g++ cmake make pkgconf >"$folder/apt.log" 2>&1 ||
  { tail -20 "$folder/apt.log" >&2; fail "no compiler"; }
rm -rf "$root/tmp/user" "$root/tmp/examples"
cp -r "$here/user" "$source_root/examples" "$root/tmp/"
inside sh -ec 'cd /tmp
  g++ -std=c++20 examples/session_store.cc -o by_pkg_config $(pkg-config --cflags --libs mayfly)
  gcc examples/one_time_links.c -o by_pkg_config_c $(pkg-config --cflags --libs mayfly)
  cmake -S user -B user/build -DEXAMPLES=/tmp/examples
  cmake --build user/build
  for program in ./by_pkg_config ./by_pkg_config_c user/build/cpp_program user/build/c_program; do $program; done' \
  >"$folder/user.log" 2>&1 || { tail -30 "$folder/user.log" >&2; fail "a user's program cannot be built or run"; }
! grep -q 'NOT TRUE' "$folder/user.log" || fail "a user's program was told something wrong"

step "a program in Python"
cp "$packages"/python3-mayfly_*.deb "$root/tmp/"
inside sh -ec 'apt-get install -qq --yes --no-install-recommends /tmp/python3-mayfly_*.deb
  cd /tmp; python3 user/sessions.py' >"$folder/python.log" 2>&1 ||
  { tail -20 "$folder/python.log" >&2; fail "Python cannot use it"; }

step "removal"
inside sh -ec 'apt-get remove -qq --yes mayfly-server libmayfly-dev libmayfly0.1 python3-mayfly
  test ! -e /usr/bin/mayfly; test -e /etc/mayfly/mayfly.toml
  apt-get purge -qq --yes mayfly-server' >"$folder/apt.log" 2>&1 || { cat "$folder/apt.log" >&2; fail "removal"; }
grep -q 'the database in /var/lib/mayfly was kept' "$folder/apt.log" || fail "the purge is silent about the data"
[[ ! -e "$root/etc/mayfly/mayfly.toml" ]] || fail "the purge left the settings"
[[ -e "$root/var/lib/mayfly/data/MAYFLY" ]] || fail "the purge took the database"
echo "passed"
