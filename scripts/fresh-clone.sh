#!/usr/bin/env bash
# Tries the README as a newcomer would: a fresh clone in an empty folder that only its owner may enter, an empty npm
# prefix, `npm ci && npm start -- --demo`, a call with the printed token, kill -9, start again, a graceful stop. As root it
# does so twice: as root, and as an ordinary user. Needs git, Node, npm and curl; the ports of the service must be free.
set -euo pipefail

repository=$(git -C "$(dirname "$0")" rev-parse --show-toplevel)
port=${STINT_PORT:-8443}
answer_limit_s=60

# try_as FOLDER [WORDS THAT CHANGE THE USER…]
try_as() {
  local folder=$1
  shift
  local run=("$@" env "HOME=$folder/home" "npm_config_prefix=$folder/prefix" "npm_config_cache=$folder/cache")
  echo "-- $(id -un) ${*:+as $*}"
  cd "$folder/stint"
  "${run[@]}" npm ci --no-audit --no-fund --loglevel=error >/dev/null

  start_service first "${run[@]}"
  local token
  token=$(sed -n 's/^STINT_TOKEN=//p' "$folder/stint/data/demo-credentials")
  expect_contracts "$folder" "$token"
  stop_service KILL

  start_service second "${run[@]}"
  expect_contracts "$folder" "$token"
  stop_service TERM
  echo "   answered at the first start, after kill -9 and at the second start; stopped gracefully"
}

# The registry that this machine uses, for the other home folder; nothing else of npm's state comes along.
copy_npm_settings() {
  cp "$HOME/.npmrc" "$1/home/.npmrc" 2>/dev/null || true
}

start_service() {
  local log=$folder/$1.log
  shift
  local began
  began=$(date +%s%N)
  "$@" npm start -- --demo >"$log" 2>&1 &
  npm_pid=$!
  for _ in $(seq 1 $((answer_limit_s * 20))); do
    grep -q '^  curl ' "$log" && break
    kill -0 "$npm_pid" 2>/dev/null || { cat "$log"; exit 1; }
    sleep 0.05
  done
  grep -q '^  curl ' "$log" || { cat "$log"; exit 1; }
  echo "   said where it answers after $((($(date +%s%N) - began) / 1000000)) ms"
}

expect_contracts() {
  local count
  count=$(curl -sS --fail --cacert "$1/stint/data/tls/ca.pem" -H "Authorization: Bearer $2" "https://localhost:$port/rest/v2/contracts" |
    grep -oE '"total_count":[0-9]+')
  echo "   $count"
  curl -sS --fail --output /dev/null --cacert "$1/stint/data/tls/ca.pem" "https://localhost:$port/console/sign-in"
  echo "   the console is built"
}

# The process that listens is a child of npm; it gets the signal itself, as a supervisor or the kernel would send it.
stop_service() {
  local service
  service=$(pgrep -f "^node cli/stint.js serve --demo" -n)
  kill -s "$1" "$service"
  wait "$npm_pid" 2>/dev/null || true
}

top=$(mktemp -d)
cleanup() {
  pkill -TERM -P $$ 2>/dev/null || true
  for pid_file in "$top"/*/stint/data/postgres/postmaster.pid; do
    [ -f "$pid_file" ] && kill -INT "$(head -n 1 "$pid_file")" 2>/dev/null || true
  done
  sleep 1
  rm -rf "$top"
}
trap cleanup EXIT
chmod 711 "$top"

mkdir -m 700 "$top/own"
mkdir "$top/own/home"
copy_npm_settings "$top/own"
git clone -q "file://$repository" "$top/own/stint"
try_as "$top/own"

if [ "$(id -u)" = 0 ]; then
  mkdir -m 700 "$top/user"
  mkdir "$top/user/home"
  copy_npm_settings "$top/user"
  git clone -q "file://$repository" "$top/user/stint"
  chown -R 65534:65534 "$top/user"
  try_as "$top/user" setpriv --reuid 65534 --regid 65534 --clear-groups
fi
