import { useEffect, useRef, useState } from 'react'
import { openStream, type Query, queryOf } from './service.ts'

const wait_min_ms = 1_000
const wait_max_ms = 30_000
const hidden_max_ms = 60_000

export type LiveState = 'off' | 'connecting' | 'live' | 'lost'

/**
 * Follows a list while the page is looked at, and takes it up where it was after a break. `onItem` gets each row as it is now.
 */
export function useLive<Row>(path: string, query: Query, isOn: boolean, onItem: (row: Row) => void): LiveState {
  const [state, setState] = useState<LiveState>('off')
  const take = useRef(onItem)
  take.current = onItem
  const isShown = useShown()
  const last_id = useRef<string | null>(null)
  const asked = JSON.stringify(query)
  const place_of = useRef('')
  useEffect(() => {
    // A break goes on where it was; another question begins anew.
    if (!isOn || place_of.current !== path + asked) last_id.current = null
    place_of.current = path + asked
    if (!isOn || !isShown) return setState('off')
    const leaving = new AbortController()
    const parts = { path, query: JSON.parse(asked) as Query, last_id, signal: leaving.signal }
    void follow(parts, { take: (row) => take.current(row as Row), tell: setState })
    return () => leaving.abort()
  }, [path, asked, isOn, isShown])
  return state
}

interface Following {
  path: string
  query: Query
  last_id: { current: string | null }
  signal: AbortSignal
}

async function follow(
  { path, query, last_id, signal }: Following,
  { take, tell }: { take(row: unknown): void; tell(state: LiveState): void },
): Promise<void> {
  let wait_ms = wait_min_ms
  tell('connecting')
  while (!signal.aborted) {
    try {
      const answer = await openStream(path + queryOf(query), last_id.current, signal)
      // A refusal stays one; everything else passes.
      if (answer.status >= 400 && answer.status < 500 && answer.status !== 429) return tell('off')
      if (!answer.ok) throw new Error(`HTTP ${answer.status}`)
      tell('live')
      wait_ms = wait_min_ms
      for await (const { id, data, event } of messagesOf(answer)) {
        // Messages still under way belong to a question that is not asked any more.
        if (signal.aborted) return
        if (event === 'problem') break
        if (id) last_id.current = id
        if (data) take(JSON.parse(data))
      }
    } catch {
      if (signal.aborted) return
    }
    if (signal.aborted) return
    tell('lost')
    await new Promise((resolve) => setTimeout(resolve, wait_ms))
    wait_ms = Math.min(wait_ms * 2, wait_max_ms)
  }
}

interface Message {
  id?: string
  data?: string
  event?: string
}

/** Messages of an event stream (WHATWG HTML, section 9.2.6); the service writes each field on one line. */
async function* messagesOf(answer: Response): AsyncGenerator<Message> {
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  for (;;) {
    const part = await reader?.read()
    if (!part || part.done) return
    text += part.value
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      yield Object.fromEntries(block.split('\n').map((line) => [fieldOf(line), line.slice(line.indexOf(':') + 2)]))
    }
  }
}

const fieldOf = (line: string) => line.slice(0, line.indexOf(':'))

/** False once the page has been out of sight for a minute. */
function useShown(): boolean {
  const [isShown, setShown] = useState(true)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = () => {
      clearTimeout(timer)
      if (document.visibilityState === 'visible') setShown(true)
      else timer = setTimeout(() => setShown(false), hidden_max_ms)
    }
    document.addEventListener('visibilitychange', look)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', look)
    }
  }, [])
  return isShown
}
