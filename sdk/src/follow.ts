import { ProblemError } from './errors.ts'
import type { Followed } from './listing.ts'
import type { CallOptions } from './shapes.ts'
import type { HttpRequest, Transport } from './transport.ts'

/** The service sends a heartbeat every 15 s; without one for so long the connection is dead. */
const silence_max_ms = 45_000
/** Before a stream that has ended is opened again; as long as the service asks for. */
const again_after_ms = 1_000

/** Reads a stream of server-sent events (WHATWG HTML, section 9.2), connecting again until the signal or a refusal. */
export async function* follow<Row>(
  { send, sleep }: Transport,
  request: HttpRequest,
  options: CallOptions,
  last_event_id: string | undefined,
): AsyncGenerator<Followed<Row>, void, undefined> {
  let id = last_event_id
  const { signal, timeout_ms = silence_max_ms, retries_max = Number.POSITIVE_INFINITY } = options
  const call = { signal, timeout_ms, retries_max }
  for (;;) {
    const headers = {
      ...request.headers,
      Accept: 'text/event-stream',
      ...(id !== undefined && { 'Last-Event-ID': id }),
    }
    const { response, deadline } = await send({ ...request, headers }, call, (begun) => begun)
    try {
      for await (const block of blocksOf(response, deadline.renew)) {
        id = block.id ?? id
        if (block.event === 'problem') throw new ProblemError(JSON.parse(block.data ?? '{}'), response)
        if (block.data !== undefined) yield { id: id ?? '', data: JSON.parse(block.data) as Row }
      }
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      // The list has ended; 429 and 503 pass. A credential that ended on the way is judged anew at the next connection.
      if (error instanceof ProblemError && ![401, 429, 503].includes(error.status)) throw error
    } finally {
      deadline.cut()
    }
    await sleep(again_after_ms, signal)
  }
}

/** The fields of one event after the other; comments are left out. */
async function* blocksOf(response: Response, heard: () => void): AsyncGenerator<Record<string, string>> {
  if (!response.body) return
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    heard()
    const blocks = (text + value).split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const fields = block.split('\n').map((line) => /^(\w+): ?(.*)$/.exec(line))
      yield Object.fromEntries(fields.flatMap((field) => (field ? [[field[1], field[2]]] : [])))
    }
  }
}
