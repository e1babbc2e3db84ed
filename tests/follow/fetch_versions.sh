#!/usr/bin/env bash
# fetch_versions - unpacks the Redis and Valkey servers of Debian's neighbouring releases into a folder, for a test alone.
#   fetch_versions.sh FOLDER      FOLDER/redis-6.0, redis-8.0 and valkey-8.0 run afterwards
# Packages are asked of the machine's own mirror through lists of their own, so that the machine's settings and packages
# stay as they are. A server of a later release runs with that release's C library. Does nothing when all are there.
set -euo pipefail

folder="${1:?usage: fetch_versions.sh FOLDER}"
mkdir -p "$folder"
folder="$(cd "$folder" && pwd)"
[[ -x "$folder/redis-6.0" && -x "$folder/redis-8.0" && -x "$folder/valkey-8.0" ]] && exit 0

mirror="$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources} 2>/dev/null |
  grep -oE '(URIs:|^deb) .*https?://[^ ]*/debian/?( |$)' | grep -oE 'https?://[^ ]*' | head -1)" || true
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

# unpack RELEASE PACKAGE...: into FOLDER/RELEASE
unpack() {
  local release="$1" root="$work/$1"
  shift
  mkdir -p "$root/lists/partial" "$root/parts" "$folder/$release"
  echo "deb [signed-by=$keyring] ${mirror:-http://deb.debian.org/debian} $release main" >"$root/parts/one.list"
  cat >"$root/apt.conf" <<END
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "$root/parts";
Dir::State::lists "$root/lists";
Dir::State::status "/dev/null";
Acquire::Languages "none";
Acquire::Check-Valid-Until "no";
APT::Sandbox::User "root";
END
  if ! { apt-get -c "$root/apt.conf" -qq update && cd "$root" &&
         apt-get -c "$root/apt.conf" -qq download "$@"; } >"$root/log" 2>&1; then
    cat "$root/log" >&2
    echo "fetch_versions: no packages of $release; check the network" >&2
    exit 1
  fi
  for package in "$root"/*.deb; do dpkg-deb -x "$package" "$folder/$release"; done
}

# program NAME LINE: FOLDER/NAME runs LINE with its arguments
program() {
  printf '#!/bin/sh\n%s "$@"\n' "$2" >"$folder/$1"
  chmod +x "$folder/$1"
}

libraries="usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)"
unpack bullseye redis-tools redis-server libssl1.1 liblua5.1-0 lua-cjson lua-bitop liblzf1 libjemalloc2 libatomic1
program redis-6.0 "LD_LIBRARY_PATH=$folder/bullseye/$libraries exec $folder/bullseye/usr/bin/redis-server"
unpack bookworm-backports valkey-tools valkey-server
program valkey-8.0 "exec $folder/bookworm-backports/usr/bin/valkey-server"
unpack trixie redis-tools redis-server libc6 libssl3t64 libstdc++6 libgcc-s1 libsystemd0 libcap2 libjemalloc2 liblzf1 \
  libatomic1 liblz4-1 libzstd1 liblzma5 zlib1g libgcrypt20 libgpg-error0
new="$folder/trixie"
loader="$(find "$new/$libraries" -name 'ld-linux*' | head -1)"
program redis-8.0 "exec $loader --argv0 redis-server --library-path $new/$libraries $new/usr/bin/redis-server"
for name in redis-6.0 valkey-8.0 redis-8.0; do "$folder/$name" --version; done
