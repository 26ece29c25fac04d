import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** As systemd starts a service again that ended (`Restart=always`, `RestartSec=1`). */
const restart_pause_ms = 1_000

/** A machine: a network namespace with an address, on a switch that can take its link down. */
export interface Machine {
  name: string
  address: string
  /** Its own part of the file system. */
  folder: string
  /** Runs a program that is started again whenever it ends. */
  run(name: string, words: readonly string[], options?: RunOptions): Program
  /** One command, what it said and its exit status; never rejects. */
  ask(words: readonly string[], environment?: Record<string, string>): Promise<Told>
  /** Takes its cable out: whatever is sent to it or by it is lost without a word. */
  cut(): Promise<void>
  heal(): Promise<void>
}

/** No status: it was ended by its time limit. */
export interface Told {
  status: number | null
  out: string
  error: string
}

export interface RunOptions {
  user?: string
  environment?: Record<string, string>
}

export interface Program {
  /** Ends it without a word; it is started again. */
  kill(): void
  /** Ends it without a word until it is started. */
  stop(): void
  start(): void
}

const ask_limit_ms = 60_000
const search_path = '/usr/sbin:/usr/bin:/sbin:/bin'
const switch_name = 'switch'
const ip = (...words: string[]) => execute('ip', words)

/** Makes the switch, and the machine that this process is in. */
export async function makeNetwork(
  folder: string,
  logs: string,
): Promise<(name: string, address: string) => Promise<Machine>> {
  await ip('netns', 'add', switch_name)
  await ip('-n', switch_name, 'link', 'add', 'bridge', 'type', 'bridge')
  await ip('-n', switch_name, 'link', 'set', 'bridge', 'up')
  mkdirSync(logs, { recursive: true })
  return async (name, address) => {
    if (name !== 'callers') await ip('netns', 'add', name)
    await ip('-n', switch_name, 'link', 'add', name, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name)
    await ip('-n', switch_name, 'link', 'set', name, 'master', 'bridge', 'up')
    await ip('-n', name, 'address', 'add', `${address}/24`, 'dev', 'eth0')
    for (const device of ['lo', 'eth0']) await ip('-n', name, 'link', 'set', device, 'up')
    const own = join(folder, name)
    mkdirSync(own)
    return {
      name,
      address,
      folder: own,
      run: (program, words, options = {}) => keepRunning(name, join(logs, `${name}-${program}.log`), words, options),
      ask: (words, environment = {}) =>
        execute('ip', ['netns', 'exec', name, ...words], {
          env: { PATH: search_path, ...environment },
          timeout: ask_limit_ms,
        }).then(
          ({ stdout, stderr }) => ({ status: 0, out: stdout, error: stderr }),
          ({ code, stdout, stderr }) => ({ status: code, out: stdout, error: stderr }),
        ),
      cut: async () => void (await ip('-n', switch_name, 'link', 'set', name, 'down')),
      heal: async () => void (await ip('-n', switch_name, 'link', 'set', name, 'up')),
    }
  }
}

function keepRunning(machine: string, log: string, words: readonly string[], options: RunOptions): Program {
  const { user, environment = {} } = options
  const as_user = user ? ['setpriv', '--reuid', user, '--regid', user, '--clear-groups'] : []
  const output = openSync(log, 'a')
  let child: ChildProcess | undefined
  let is_wanted = false
  let is_kept = false
  const keep = async () => {
    is_kept = true
    while (is_wanted) {
      // `ip` and `setpriv` become the program: the process that is killed is its own.
      child = spawn('ip', ['netns', 'exec', machine, ...as_user, ...words], {
        env: { PATH: search_path, ...environment },
        stdio: ['ignore', output, output],
      })
      await once(child, 'exit')
      await delay(restart_pause_ms)
    }
    is_kept = false
  }
  const kill = () => void child?.kill('SIGKILL')
  const start = () => {
    is_wanted = true
    if (!is_kept) void keep()
  }
  start()
  return {
    kill,
    start,
    stop() {
      is_wanted = false
      kill()
    },
  }
}
