#!/usr/bin/env bash
# Runs a command as on a machine that has nothing: of this environment only the search path and the way to npm's registry,
# an empty home, an empty cache, and an empty folder for temporary files: /tmp itself where this user may mount, else by
# TMPDIR. Usage: scripts/on-empty-machine.sh npm test
set -euo pipefail

checkout=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$checkout/.tmp"
machine=$(mktemp -d "$checkout/.tmp/empty.XXXXXX")
trap 'rm -rf "$machine"' EXIT
mkdir "$machine/home" "$machine/cache"
mkdir -m 1777 "$machine/tmp"

environment=("PATH=$PATH" "HOME=$machine/home")
if [ -f "${HOME:-/nonexistent}/.npmrc" ]; then environment+=("npm_config_userconfig=$HOME/.npmrc"); fi
while IFS='=' read -r name value; do
  environment+=("$name=$value")
done < <(env | grep -iE '^(npm_config_[a-z_]*|node_extra_ca_certs|https?_proxy|no_proxy)=' || true)
environment+=("npm_config_cache=$machine/cache")

if [ "$(id -u)" = 0 ] && unshare --mount true 2>/dev/null; then
  env -i "${environment[@]}" unshare --mount sh -c 'mount --bind "$0" /tmp && exec "$@"' "$machine/tmp" "$@"
else
  env -i "${environment[@]}" "TMPDIR=$machine/tmp" "$@"
fi
