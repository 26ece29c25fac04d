import { setTimeout as delay } from 'node:timers/promises'
import { type DatabaseMachine, passwords } from './database-machines.ts'
import type { Machine, Program } from './machines.ts'

export interface ServiceMachine {
  machine: Machine
  service: Program
  /** Its way to the primary. */
  balancer: Program
}

export interface Place {
  apis: [ServiceMachine, ServiceMachine]
  /** The worker whose request has just arrived at the receiver, and is not answered yet. */
  sendingWorker(): Promise<ServiceMachine>
  etcd: Program[]
  primary: DatabaseMachine
  replica: DatabaseMachine
}

export interface Scenario {
  name: string
  /** The server of the database may forget what the engine committed last. */
  loses_server?: boolean
  /** Begins the fault, holds it and puts it right; answers what else is to be told. */
  strike(place: Place): Promise<string | undefined>
}

const killed =
  (kill: (place: Place) => void | Promise<void>, hold_ms = 5_000) =>
  async (place: Place) => {
    await kill(place)
    await delay(hold_ms)
    return undefined
  }

const cut = (machine: (place: Place) => Machine | Promise<Machine>, hold_ms: number) => async (place: Place) => {
  const one = await machine(place)
  await one.cut()
  await delay(hold_ms)
  await one.heal()
  return undefined
}

export const scenarios: readonly Scenario[] = [
  { name: 'kill -9 of an API', strike: killed(({ apis }) => apis[0].service.kill()) },
  {
    name: 'kill -9 of a worker that is sending',
    strike: killed(async (place) => (await place.sendingWorker()).service.kill()),
  },
  { name: 'an API is cut off for 20 s', strike: cut(({ apis }) => apis[0].machine, 20_000) },
  // Longer than the lease of a delivery.
  {
    name: 'a worker that is sending is cut off for 75 s',
    strike: cut(async (place) => (await place.sendingWorker()).machine, 75_000),
  },
  { name: 'kill -9 of HAProxy beside an API', strike: killed(({ apis }) => apis[0].balancer.kill()) },
  { name: 'kill -9 of PgBouncer beside the primary', strike: killed(({ primary }) => primary.pooler.kill()) },
  { name: 'kill -9 of Patroni on the primary', strike: killed(({ primary }) => primary.patroni.kill()) },
  { name: 'kill -9 of the replica', strike: killed(({ replica }) => replica.killServer()) },
  { name: 'the replica is cut off for 40 s', strike: cut(({ replica }) => replica.machine, 40_000) },
  {
    name: 'kill -9 of PostgreSQL on the primary',
    loses_server: true,
    strike: killed(({ primary }) => primary.killServer()),
  },
  {
    name: 'the primary is cut off for 45 s',
    loses_server: true,
    async strike({ primary: { machine } }) {
      await machine.cut()
      const told = await writeAt(machine, 45_000)
      await machine.heal()
      return told
    },
  },
  {
    name: 'the machine of the primary loses its power for 45 s',
    loses_server: true,
    async strike({ primary }) {
      await primary.loseEverything()
      await delay(45_000)
      await primary.comeBack()
      return undefined
    },
  },
  {
    name: 'one of three etcd is stopped for 15 s',
    async strike({ etcd: [one] }) {
      one?.stop()
      await delay(15_000)
      one?.start()
      return undefined
    },
  },
  {
    name: 'all of etcd is stopped for 30 s',
    async strike({ etcd }) {
      for (const one of etcd) one.stop()
      await delay(30_000)
      for (const one of etcd) one.start()
      return undefined
    },
  },
]

/** Tries to change rows at a server from its own machine, for two seconds each; answers what came of it. */
async function writeAt(machine: Machine, for_ms: number): Promise<string> {
  const outcomes = { taken: 0, unsure: 0, refused: 0 }
  const refusals = new Set<string>()
  const insert = [
    'psql',
    '-h',
    machine.folder,
    '-U',
    'postgres',
    '-d',
    'stint',
    '-c',
    'insert into probe.writes values (now())',
  ]
  const environment = { PGPASSWORD: passwords.postgres, PGCONNECT_TIMEOUT: '2' }
  for (const until = Date.now() + for_ms; Date.now() < until; await delay(1_000)) {
    const { status, error } = await machine.ask(['timeout', '--signal=KILL', '2', ...insert], environment)
    outcomes[status === 0 ? 'taken' : error === '' ? 'unsure' : 'refused'] += 1
    if (error !== '') refusals.add(error.trim().split('\n').at(-1) ?? '')
  }
  if (outcomes.taken > 0) throw new Error(`a primary that was cut off took ${outcomes.taken} changes`)
  const { unsure, refused } = outcomes
  return `changes tried at the primary that was cut off: 0 taken, ${unsure} waited for the replica in vain, ${refused} refused (${[...refusals].join('; ')})`
}
