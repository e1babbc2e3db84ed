#!/usr/bin/env bash
# fetch_promtool - promtool of Debian's Prometheus, as FOLDER/promtool.
#   fetch_promtool.sh FOLDER
# Its package is unpacked and not installed: it would leave a monitoring server running on the machine,
# now and after each start, for the sake of one program that checks texts. Does nothing when the file is
# there; takes the machine's own promtool when it has one.
set -euo pipefail

folder="${1:?usage: fetch_promtool.sh FOLDER}"
[[ -x "$folder/promtool" ]] && exit 0
mkdir -p "$folder"
if command -v promtool >/dev/null; then
  ln -sf "$(command -v promtool)" "$folder/promtool"
  exit 0
fi

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial"
download() { (cd "$work" && apt-get "$@" -qq -o APT::Sandbox::User=root download prometheus >"$work/log" 2>&1); }
# The machine's index of packages may be missing or too old: then one of our own is fetched.
download || {
  apt-get -qq -o Dir::State::lists="$work/lists" -o APT::Sandbox::User=root update >"$work/log" 2>&1 || true
  download -o Dir::State::lists="$work/lists" || {
    cat "$work/log" >&2
    echo "fetch_promtool: no package prometheus; check the network and /etc/apt/sources.list*" >&2
    exit 1
  }
}
dpkg-deb --extract "$work"/prometheus_*.deb "$work/unpacked"
mv "$work/unpacked/usr/bin/promtool" "$folder/promtool.new"
mv "$folder/promtool.new" "$folder/promtool"
