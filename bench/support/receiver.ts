import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export interface ReceiverReady {
  ports: number[]
  slow_port: number | null
  /** Certificate authority of the receivers, PEM. */
  ca: string
}

export type ReceiverQuestion = 'count' | 'take'

export interface Arrivals {
  count: number
  /** Milliseconds of `process.hrtime` by event id, when taken. */
  arrived_at_ms?: [event_id: string, at_ms: number][]
}

export interface Receivers extends AsyncDisposable {
  urls: string[]
  /** Of the one that answers late and is not counted. */
  slow_url: string | null
  ca: string
  /** Requests since the last take. */
  count(): Promise<number>
  take(): Promise<[event_id: string, at_ms: number][]>
}

/** Starts HTTPS receivers, each on a port of its own, together in a process of their own; beside them perhaps a slow one. */
export async function startReceivers(count: number, slow_ms?: number): Promise<Receivers> {
  const program = fileURLToPath(new URL('receiver-process.ts', import.meta.url))
  const child = fork(program, [String(count), ...(slow_ms === undefined ? [] : [String(slow_ms)])], {
    serialization: 'advanced',
  })
  const [{ ports, slow_port, ca }] = (await once(child, 'message')) as [ReceiverReady]
  const ask = async (question: ReceiverQuestion): Promise<Arrivals> => {
    child.send(question)
    const [arrivals] = (await once(child, 'message')) as [Arrivals]
    return arrivals
  }
  return {
    urls: ports.map(urlOf),
    slow_url: slow_port === null ? null : urlOf(slow_port),
    ca,
    count: async () => (await ask('count')).count,
    take: async () => (await ask('take')).arrived_at_ms ?? [],
    async [Symbol.asyncDispose]() {
      child.disconnect()
      await once(child, 'exit')
    },
  }
}

function urlOf(port: number): string {
  return `https://localhost:${port}/hook`
}
