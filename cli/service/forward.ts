import { setTimeout as pause } from 'node:timers/promises'
import { sign } from '#webhooks/signature.ts'
import about from '../../package.json' with { type: 'json' }
import { reasonOf } from './client.ts'

/** One event as the receiver gets it. */
export interface Forwarded {
  event_id: string
  event_type: string
  is_simulation: boolean
  /** The exact text of the body. */
  body: string
}

/** One try to hand an event over. */
export interface Try {
  at: string
  event_type: string
  event_id: string
  is_simulation: boolean
  /** Status of the answer; null where none came. */
  status: number | null
  error: string | null
  took_ms: number
  /** Milliseconds to the next try; null where there is none. */
  again_in_ms: number | null
}

export interface Target {
  url: string
  signing_key: string
  /** After so many answers that are not 2xx an event is left and the next one is sent. */
  answers_max: number
  tried(attempt: Try): void
}

/** As long as a receiver has of the service itself. */
const answer_limit_ms = 30_000
const first_wait_ms = 1_000
const wait_max_ms = 30_000
/** An attempt that runs when somebody ends this gets so long. */
const last_words_ms = 3_000
/** The version that events are serialised in, as deliveries name it. */
const api_version = 'v2'

/**
 * Hands one event over, again until it is taken: a receiver that is not there is waited for without end, one that refuses
 * is asked a few times. Answers what became of it; `interrupted` when the signal came first.
 */
export async function forward(
  forwarded: Forwarded,
  { url, signing_key, answers_max, tried }: Target,
  signal: AbortSignal,
): Promise<'taken' | 'left' | 'interrupted'> {
  const { event_id, event_type, is_simulation } = forwarded
  let answers = 0
  for (let tries = 1; !signal.aborted; tries += 1) {
    const begun_ms = performance.now()
    const { status, error } = await post(url, forwarded, signing_key, signal)
    if (status !== null) answers += 1
    const isTaken = status !== null && status >= 200 && status < 300
    const isOver = isTaken || answers >= answers_max
    const again_in_ms = isOver ? null : Math.min(wait_max_ms, first_wait_ms * 2 ** (tries - 1))
    const took_ms = Math.round(performance.now() - begun_ms)
    tried({
      ...{ at: new Date().toISOString(), event_type, event_id, is_simulation },
      status,
      error,
      took_ms,
      again_in_ms,
    })
    if (again_in_ms === null) return isTaken ? 'taken' : 'left'
    await pause(again_in_ms, undefined, { signal }).catch(() => undefined)
  }
  return 'interrupted'
}

async function post(
  url: string,
  { event_id, body }: Forwarded,
  key: string,
  stop: AbortSignal,
): Promise<{ status: number | null; error: string | null }> {
  const bytes = Buffer.from(body)
  const limit = new AbortController()
  const over = setTimeout(
    () => limit.abort(new Error(`no answer within ${answer_limit_ms / 1_000} s`)),
    answer_limit_ms,
  )
  const hurry = () => setTimeout(() => limit.abort(new Error('ended by Ctrl-C')), last_words_ms).unref()
  stop.addEventListener('abort', hurry, { once: true })
  try {
    const signatures = sign(bytes, [{ label: 'listen', key }], {
      event_id,
      timestamp_s: Math.floor(Date.now() / 1_000),
    })
    const headers = {
      'content-type': 'application/json',
      'user-agent': `stint-cli/${about.version}`,
      ...signatures,
      'x-service-webhook-version': api_version,
    }
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body: bytes,
      redirect: 'manual',
      signal: limit.signal,
    })
    await response.body?.cancel()
    return { status: response.status, error: null }
  } catch (error) {
    return { status: null, error: reasonOf(error) }
  } finally {
    clearTimeout(over)
    stop.removeEventListener('abort', hurry)
  }
}
