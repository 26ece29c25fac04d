#!/usr/bin/env bash
# Runs a command against a real PostgreSQL: a throw-away cluster on a free loopback port, owned by an ordinary database
# user (CREATEDB, CREATEROLE, no superuser), as a managed server would give it. Usage: scripts/with-postgresql.sh npm test
set -euo pipefail

find_programs() {
  local initdb
  initdb=$(command -v initdb || ls -1 /usr/lib/postgresql/*/bin/initdb 2>/dev/null | sort -V | tail -n 1 || true)
  [ -n "$initdb" ] && dirname "$(readlink -f "$initdb")"
}

programs=$(find_programs || true)
if [ -z "$programs" ]; then
  echo "PostgreSQL is missing: installing Debian's package"
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq postgresql >/dev/null
  programs=$(find_programs)
fi

# In memory where there is room for the databases of a test run (3 GiB): making one on a disk takes ten times as long.
place=/dev/shm
[ "$(df --output=avail -k "$place" 2>/dev/null | tail -n 1)" -ge 3145728 ] 2>/dev/null || place=${TMPDIR:-/tmp}
folder=$(mktemp -d "$place/stint-postgresql-XXXXXX")
as_owner=()
if [ "$(id -u)" = 0 ]; then
  owner=$(id -un postgres 2>/dev/null || echo nobody)
  chown "$owner" "$folder"
  as_owner=(setpriv --reuid "$owner" --regid "$(id -g "$owner")" --clear-groups)
fi
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])' 2>/dev/null || echo 54329)

stop() {
  "${as_owner[@]}" "$programs/pg_ctl" -D "$folder/data" -m immediate -w stop >/dev/null 2>&1 || true
  rm -rf "$folder"
}
trap stop EXIT

cd "$folder"
"${as_owner[@]}" "$programs/initdb" -D "$folder/data" -U postgres -A trust -E UTF8 --no-sync >/dev/null
"${as_owner[@]}" "$programs/pg_ctl" -D "$folder/data" -l "$folder/log" -w start \
  -o "-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=200 ${POSTGRESQL_OPTIONS:--c fsync=off}" >/dev/null
"$programs/psql" -q -h 127.0.0.1 -p "$port" -U postgres -d postgres \
  -c 'create role stint login createdb createrole' -c 'create database stint owner stint'
cd "$OLDPWD"

# For fault runs: an end without a word, and a start.
options="-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=200"
export TEST_DATABASE_RESTART="cd '$folder' && ${as_owner[*]} '$programs/pg_ctl' -D '$folder/data' -m immediate -w restart -l '$folder/log' -o '$options'"
export TEST_DATABASE_URL="postgres://stint@127.0.0.1:$port/stint"
echo "PostgreSQL $("$programs/postgres" --version | cut -d' ' -f3) on port $port"
"$@"
