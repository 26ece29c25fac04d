#!/usr/bin/env bash
# Tries the README as a newcomer would: a fresh clone in an empty folder that only its owner may enter, an empty environment,
# home and folder for temporary files, `npm ci && npm start -- --demo`, a call with the token, kill -9, start again, SIGTERM to
# npm. As root it does so twice: as root, and as an ordinary user. Needs git, Node, npm and curl, and free ports.
set -euo pipefail

repository=$(git -C "$(dirname "$0")" rev-parse --show-toplevel)
port=${STINT_PORT:-8443}
answer_limit_s=60

# try_as FOLDER [WORDS THAT CHANGE THE USER…]
try_as() {
  local folder=$1
  shift
  # Of this environment only the search path and the way to npm's registry.
  local run=("$@" env -i "PATH=$PATH" "HOME=$folder/home" "TMPDIR=$folder/tmp" "STINT_PORT=$port")
  run+=("npm_config_prefix=$folder/prefix" "npm_config_cache=$folder/cache")
  if [ -n "${NODE_EXTRA_CA_CERTS:-}" ]; then run+=("NODE_EXTRA_CA_CERTS=$NODE_EXTRA_CA_CERTS"); fi
  echo "-- Node $(node --version), $(id -un) ${*:+as $*}"
  cd "$folder/stint"
  "${run[@]}" npm ci >"$folder/install.log" 2>&1 || { cat "$folder/install.log"; exit 1; }
  sed 's/^/   /' "$folder/install.log"
  if grep -iE 'warn|error|deprecat|vulnerab.*[1-9]' "$folder/install.log" | grep -v 'found 0'; then
    echo 'npm ci said something that alarms'
    exit 1
  fi

  start_service first "${run[@]}"
  local token
  token=$(sed -n 's/^STINT_TOKEN=//p' "$folder/stint/data/demo-credentials")
  expect_contracts "$folder" "$token"
  # The service alone, as the kernel would: npm ends with it, the database waits for the next start.
  kill -s KILL "$(pgrep -P "$npm_pid")"
  wait "$npm_pid" 2>/dev/null || true

  start_service second "${run[@]}"
  expect_contracts "$folder" "$token"
  kill -s TERM "$npm_pid"
  wait "$npm_pid"
  [ ! -e "$folder/stint/data/postgres/postmaster.pid" ] || { echo 'the database is still there'; exit 1; }
  echo "   answered at the first start, after kill -9 and at the second start; npm, service and database ended at SIGTERM"
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
    grep -q '^Ctrl-C stops it' "$log" && break
    kill -0 "$npm_pid" 2>/dev/null || { cat "$log"; exit 1; }
    sleep 0.05
  done
  grep -q '^Ctrl-C stops it' "$log" || { cat "$log"; exit 1; }
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
mkdir "$top/own/home" "$top/own/tmp"
copy_npm_settings "$top/own"
git clone -q "file://$repository" "$top/own/stint"
try_as "$top/own"

if [ "$(id -u)" = 0 ]; then
  mkdir -m 700 "$top/user"
  mkdir "$top/user/home" "$top/user/tmp"
  copy_npm_settings "$top/user"
  git clone -q "file://$repository" "$top/user/stint"
  chown -R 65534:65534 "$top/user"
  try_as "$top/user" setpriv --reuid 65534 --regid 65534 --clear-groups
fi
