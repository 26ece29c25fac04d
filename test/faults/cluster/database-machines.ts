import { execFileSync } from 'node:child_process'
import { chownSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { request } from 'undici'
import type { Machine, Program } from './machines.ts'

/** The machines below the service: etcd, PostgreSQL under Patroni, PgBouncer; and the way there of those above, HAProxy. */

export const passwords = {
  postgres: 'of-the-server',
  replicator: 'of-copies',
  stint: 'of-tables',
  stint_service: 'of-the-service',
}

export interface DatabaseMachine {
  machine: Machine
  etcd: Program
  patroni: Program
  pooler: Program
  /** Kills PostgreSQL itself; Patroni, beside it, lives. */
  killServer(): void
  /** Ends everything on it at once, and takes its cable out. */
  loseEverything(): Promise<void>
  comeBack(): Promise<void>
}

const [programs = ''] = globSync('/usr/lib/postgresql/*/bin/initdb').map(dirname).sort().reverse()
const owner = 'postgres'
const isAtLeast = (version: string, wanted: string) => version.localeCompare(wanted, 'en', { numeric: true }) >= 0
const [patroni_version = '', pooler_version = ''] = ['patroni', 'pgbouncer'].map(
  (program) => /\d+(\.\d+)+/.exec(execFileSync(program, ['--version'], { encoding: 'utf8' }))?.[0],
)
/**
 * Patroni before 3.0.3 (Debian 12 has 3.0.2) may take the lock of the primary without looking who has it, where it speaks
 * version 3 of etcd's API (patroni/patroni#2689): a primary that was cut off could become primary again.
 */
const etcd_api = isAtLeast(patroni_version, '3.0.3') ? 'etcd3' : 'etcd'
/** PgBouncer hands prepared statements on from 1.21 (Debian 12 has 1.18). */
export const statements = isAtLeast(pooler_version, '1.21') ? 'named' : 'unnamed'
const owner_ids = ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, owner], { encoding: 'utf8' })))

function write(machine: Machine, name: string, text: string): string {
  const path = join(machine.folder, name)
  writeFileSync(path, text, { mode: 0o600 })
  own(path)
  return path
}

function own(path: string): void {
  const [user = 0, group = 0] = owner_ids
  chownSync(path, user, group)
}

/** One of an odd number of etcd, of which more than half have to be there. */
export function runEtcd(machine: Machine, voters: readonly Machine[]): Program {
  const { name, address, folder } = machine
  const members = voters.map((voter) => `${voter.name}=http://${voter.address}:2380`).join()
  const settings = {
    name,
    'data-dir': join(folder, 'etcd'),
    'listen-peer-urls': `http://${address}:2380`,
    'initial-advertise-peer-urls': `http://${address}:2380`,
    'listen-client-urls': `http://${address}:2379`,
    'advertise-client-urls': `http://${address}:2379`,
    'initial-cluster': members,
    'enable-v2': etcd_api === 'etcd',
    // The machines here share two processors.
    'heartbeat-interval': 200,
    'election-timeout': 2_000,
  }
  const words = Object.entries(settings).map(([setting, value]) => `--${setting}=${value}`)
  return machine.run('etcd', ['etcd', ...words])
}

/** PostgreSQL under Patroni, with a pooler in front of it and an etcd on the same machine. */
export function runDatabase(machine: Machine, voters: readonly Machine[]): DatabaseMachine {
  const etcd = runEtcd(machine, voters)
  own(machine.folder)
  const data_dir = join(machine.folder, 'data')
  const patroni = machine.run(
    'patroni',
    ['patroni', write(machine, 'patroni.yml', patroniFile(machine, data_dir, voters))],
    {
      user: owner,
      environment: { LC_ALL: 'C.UTF-8' },
    },
  )
  write(machine, 'users.txt', `"stint" "${passwords.stint}"\n"stint_service" "${passwords.stint_service}"\n`)
  const pooler = machine.run('pgbouncer', ['pgbouncer', write(machine, 'pgbouncer.ini', poolerFile(machine))], {
    user: owner,
  })
  const killServer = () => {
    const [pid = ''] = readFileSync(join(data_dir, 'postmaster.pid'), 'utf8').split('\n')
    process.kill(Number(pid), 'SIGKILL')
  }
  const running = [etcd, patroni, pooler]
  return {
    ...{ machine, etcd, patroni, pooler, killServer },
    async loseEverything() {
      // First its cable: nobody is told.
      await machine.cut()
      for (const program of running) program.stop()
      killServer()
    },
    async comeBack() {
      await machine.heal()
      for (const program of running) program.start()
    },
  }
}

// JSON is YAML.
const patroniFile = ({ name, address, folder }: Machine, data_dir: string, voters: readonly Machine[]) =>
  JSON.stringify({
    ...{ scope: 'stint', name },
    restapi: { listen: `${address}:8008`, connect_address: `${address}:8008` },
    [etcd_api]: { hosts: voters.map((one) => `${one.address}:2379`) },
    bootstrap: {
      dcs: {
        // Seconds: a primary that cannot renew its key for `ttl` has stopped, and another one takes over.
        ...{ ttl: 20, loop_wait: 5, retry_timeout: 5 },
        ...{ synchronous_mode: true, failsafe_mode: true },
        postgresql: {
          ...{ use_pg_rewind: true, use_slots: true },
          parameters: {
            max_connections: 100,
            wal_log_hints: 'on',
            // A replica that is gone without a word holds commits up until it is noticed.
            ...{ wal_sender_timeout: '10s', wal_receiver_timeout: '10s' },
            max_wal_size: '512MB',
            shared_buffers: '128MB',
          },
        },
      },
      initdb: ['data-checksums', { encoding: 'UTF8' }, { locale: 'C.UTF-8' }],
    },
    postgresql: {
      ...{ listen: `${address}:5432`, connect_address: `${address}:5432` },
      ...{ data_dir, bin_dir: programs, pgpass: join(folder, 'pgpass') },
      authentication: {
        superuser: { username: 'postgres', password: passwords.postgres },
        replication: { username: 'replicator', password: passwords.replicator },
      },
      parameters: { unix_socket_directories: folder },
      pg_hba: [
        'local all all scram-sha-256',
        'host replication replicator 10.77.0.0/24 scram-sha-256',
        'host all all 10.77.0.0/24 scram-sha-256',
      ],
    },
    watchdog: { mode: 'off' },
  })

const poolerFile = ({ address, folder }: Machine) => `
[databases]
stint = host=${folder} port=5432 dbname=stint
[pgbouncer]
listen_addr = ${address}
listen_port = 6432
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${join(folder, 'users.txt')}
pool_mode = transaction
default_pool_size = 40
max_client_conn = 500
${statements === 'named' ? 'max_prepared_statements = 1000' : 'ignore_startup_parameters = options'}
query_wait_timeout = 5
server_connect_timeout = 5
server_login_retry = 1
tcp_keepalive = 1
tcp_keepidle = 10
tcp_keepintvl = 5
tcp_keepcnt = 3
tcp_user_timeout = 15000
`

/** The way of a machine of the service to whichever server is the primary: 127.0.0.1:5432. */
export function runBalancer(machine: Machine, databases: readonly Machine[]): Program {
  const servers = databases.map(({ name, address }) => `  server ${name} ${address}:6432 check port 8008`)
  const text = `
defaults
  mode tcp
  timeout connect 2s
  timeout check 2s
  timeout client 30m
  timeout server 30m
listen primary
  bind 127.0.0.1:5432
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 2s fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join('\n')}
`
  return machine.run('haproxy', ['haproxy', '-f', write(machine, 'haproxy.cfg', text)])
}

const bounds = { headersTimeout: 2_000, bodyTimeout: 2_000 }

interface Member {
  name: string
  role: string
  state: string
  lag?: number
}

/** The names of primary and synchronous replica as the primary tells them, once both run; null where they do not. */
async function rolesOf(machines: readonly Machine[]): Promise<{ primary: string; replica: string } | null> {
  for (const { address } of machines) {
    try {
      // A machine that was cut off still tells of the time before.
      const role = await request(`http://${address}:8008/primary`, bounds)
      await role.body.dump()
      if (role.statusCode !== 200) continue
      const answer = await request(`http://${address}:8008/cluster`, bounds)
      const { members } = (await answer.body.json()) as { members: Member[] }
      const primary = members.find(({ role, state }) => role === 'leader' && state === 'running')
      const replica = members.find(({ role, state }) => role === 'sync_standby' && /running|streaming/.test(state))
      if (primary && replica) return { primary: primary.name, replica: replica.name }
    } catch {
      // Another one is asked.
    }
  }
  return null
}

/** Waits until there are a primary and a synchronous replica. */
export async function untilWhole(machines: readonly Machine[], limit_ms: number) {
  const until = Date.now() + limit_ms
  for (;;) {
    const roles = await rolesOf(machines)
    if (roles) return roles
    if (Date.now() > until) throw new Error(`no primary with a synchronous replica after ${limit_ms} ms`)
    await delay(500)
  }
}
