#!/usr/bin/env bash
# Several machines under load: network namespaces with addresses of their own hold two APIs, two workers, and PostgreSQL with
# a synchronous replica under Patroni, etcd, PgBouncer and HAProxy. One after the other is killed or cut off; nothing that was
# acknowledged may be lost. Needs root on Linux and a checkout after `npm ci`; installs Debian's packages that are missing.
# Usage: test/faults/cluster.sh [WORDS OF A SCENARIO…]      LOGS=FOLDER keeps what every program said.
set -euo pipefail
cd "$(dirname "$0")/../.."

if [ "${1:-}" != --inside ]; then
  if [ "$(id -u)" != 0 ]; then
    echo 'cluster.sh makes network namespaces: run it as root' >&2
    exit 78
  fi
  missing=()
  for package in postgresql patroni python3-etcd etcd-server pgbouncer haproxy iproute2; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  if [ ${#missing[@]} -gt 0 ]; then
    echo "installing Debian's packages: ${missing[*]}"
    # What they bring is not to run by itself: every program here is started on a machine of its own.
    policy=/usr/sbin/policy-rc.d
    if [ ! -e "$policy" ]; then
      trap 'rm -f "$policy"' EXIT
      printf '#!/bin/sh\nexit 101\n' >"$policy"
      chmod +x "$policy"
    fi
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
  fi
  mkdir -p /run/netns
  # Processes, mounts and networks end with the first process in there, however it ends.
  status=0
  timeout --verbose --kill-after=10s --foreground "${LIMIT:-15m}" \
    unshare --net --mount --pid --fork --kill-child --mount-proc "$PWD/test/faults/cluster.sh" --inside "$@" || status=$?
  exit "$status"
fi
shift

# Everything is written to a file system that nobody else sees and that is gone at the end.
export TMPDIR=/run/netns/files
mount -t tmpfs -o size=4g,mode=755 stint-cluster /run/netns
mkdir "$TMPDIR"
ip link set lo up
ip netns add callers
ip netns exec callers node_modules/.bin/node test/faults/cluster/main.ts "$@"
