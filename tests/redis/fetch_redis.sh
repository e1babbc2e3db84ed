#!/usr/bin/env bash
# fetch_redis - unpacks the source of Debian's Redis 7.0 into a folder, for its tests alone.
#   fetch_redis.sh FOLDER        FOLDER/redis-7.0.15/tests is there afterwards
# Sources are asked of the machine's own package servers through lists of their own, so that the
# machine's settings stay as they are. Does nothing when the folder has it already.
set -euo pipefail

version=7.0.15
folder="${1:?usage: fetch_redis.sh FOLDER}"
[[ -e "$folder/redis-$version/tests/test_helper.tcl" ]] && exit 0

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/parts" "$work/lists/partial" "$folder"
# Both ways of naming a source: one line each, or stanzas.
for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
  [[ -r "$list" ]] && sed -n 's/^deb /deb-src /p' "$list" >>"$work/parts/lines.list"
done
for list in /etc/apt/sources.list.d/*.sources; do
  [[ -r "$list" ]] && sed 's/^Types:.*/Types: deb-src/' "$list" >"$work/parts/$(basename "$list")"
done
cat >"$work/apt.conf" <<END
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "$work/parts";
Dir::State::lists "$work/lists";
APT::Sandbox::User "root";
END
apt="apt-get -c $work/apt.conf -qq"
# A source that is not Debian's may have no sources to offer: what counts is that Redis is there.
$apt update >"$work/log" 2>&1 || true
(cd "$work" && $apt source --download-only redis >>"$work/log" 2>&1) || true
[[ -e "$work/redis_$version.orig.tar.gz" ]] || {
  cat "$work/log" >&2
  echo "fetch_redis: no source of redis $version; check the network and /etc/apt/sources.list*" >&2
  exit 1
}
tar -C "$work" -xzf "$work"/redis_$version.orig.tar.gz
rm -rf "${folder:?}/redis-$version"
mv "$work/redis-$version" "$folder/"
