import { Badge } from '../../components/badge.tsx'
import { Code } from '../../components/code.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Expandable } from '../../components/expandable.tsx'
import { Moment } from '../../components/moment.tsx'
import { Time } from '../../components/time.tsx'
import { durationOf, prettyJson } from '../../lib/format.ts'
import { type Attempt, type DeliveryWithAttempts, entryOf } from '../../lib/nouns.ts'
import { inQuotes } from '../curl.ts'
import { CompareAttempts } from './compare-attempts.tsx'
import { attemptWords, errorWords, hints } from './health.tsx'
import { TimingBar } from './timing-bar.tsx'

const decisionWords: Record<string, string> = {
  done: 'Delivered.',
  retry: 'Sent again',
  exhausted: 'It was the last of its schedule.',
  held: 'Held: the webhook is disabled.',
  cancelled: 'Cancelled meanwhile.',
  repeat: 'Sent again at once: it does not count.',
  none: '',
}

/** Every attempt, the newest first and open, with what was sent and what came back. */
export function Attempts({ delivery: { attempts, body } }: { delivery: DeliveryWithAttempts }) {
  const scale_ms = Math.max(1, ...attempts.map(({ total_ms }) => total_ms ?? 0))
  const newest = attempts.toReversed()
  return (
    <section aria-labelledby="attempts">
      <h3 id="attempts">Attempts</h3>
      {newest.length === 0 ? <p className="hint">None yet.</p> : null}
      <ol className="timeline">
        {newest.map((attempt, index) => (
          <li key={attempt.id} className={attempt.outcome}>
            <AttemptItem attempt={attempt} body={body?.text ?? null} scale_ms={scale_ms} isOpen={index === 0} />
          </li>
        ))}
      </ol>
      {attempts.length > 1 ? (
        <Expandable summary="Compare two attempts">
          <CompareAttempts attempts={attempts} />
        </Expandable>
      ) : null}
      <h3>Payload</h3>
      {body ? (
        <Code text={prettyJson(body.text)} what="payload" />
      ) : (
        <p className="hint">Withheld: it holds sensitive data that your role does not see.</p>
      )}
    </section>
  )
}

const sentenceOf = (words: string) => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`

interface AttemptItemProps {
  attempt: Attempt
  body: string | null
  scale_ms: number
  isOpen: boolean
}

function AttemptItem({ attempt, body, scale_ms, isOpen }: AttemptItemProps) {
  const { outcome, error_class, error_detail, response_status, decision, next_attempt_at } = attempt
  return (
    <details open={isOpen}>
      <summary>
        <span>{attemptWords(attempt)}</span>{' '}
        <Badge tone={outcome === 'succeeded' ? 'good' : outcome === 'failed' ? 'danger' : 'plain'}>
          {outcome === 'succeeded' ? `HTTP ${response_status}` : errorWords(error_class, response_status)}
        </Badge>{' '}
        <span className="hint">
          <Moment at={attempt.started_at} isExact /> · {durationOf(attempt.total_ms)}
        </span>
      </summary>
      {error_class ? (
        <p>
          {error_detail ? (
            <>
              <bdi>{sentenceOf(error_detail)}</bdi>{' '}
            </>
          ) : null}
          {hints[error_class]}
        </p>
      ) : null}
      <p className="hint">
        {decisionWords[decision]}
        {decision === 'retry' ? (
          <>
            {' '}
            <Time at={next_attempt_at} isAhead />.
          </>
        ) : null}
      </p>
      <TimingBar attempt={attempt} scale_ms={scale_ms} />
      <dl className="facts">
        <dt>Address</dt>
        <dd>
          {attempt.resolved_ip ?? 'none contacted'}
          {attempt.tls_version ? ` · ${attempt.tls_version}` : ''}
          {attempt.connection_reused ? ' · connection reused' : ''}
        </dd>
        <dt>Signed with</dt>
        <dd>{attempt.key_labels.join(', ') || '–'}</dd>
      </dl>
      <details>
        <summary>Request</summary>
        <Headers headers={attempt.request_headers} what="request headers" />
        {body === null ? null : (
          <p>
            <CopyButton text={curlOfAttempt(attempt, body)} label="Copy as curl" what="request as curl" />
          </p>
        )}
      </details>
      {attempt.response_headers ? (
        <details open={isOpen && outcome === 'failed'}>
          <summary>Response</summary>
          <Headers headers={attempt.response_headers} what="response headers" />
          <ResponseBody attempt={attempt} />
        </details>
      ) : null}
    </details>
  )
}

function ResponseBody({ attempt: { response_text, response_body, response_cut } }: { attempt: Attempt }) {
  const text = response_text ?? (response_body ? `${response_body}\n(base64: it is no UTF-8)` : '')
  return (
    <>
      {text ? <Code text={text} what="response body" wraps /> : <p className="hint">Without a body.</p>}
      {response_cut ? <p className="hint">Cut: {entryOf(cutWords, response_cut, response_cut)}.</p> : null}
    </>
  )
}

const cutWords = {
  size: 'the first 16 KiB are kept',
  time: 'the rest did not come in time',
  closed: 'the receiver closed the connection',
} as const

function Headers({ headers, what }: { headers: Attempt['request_headers']; what: string }) {
  const lines = Object.entries(headers).flatMap(([name, value]) => [value].flat().map((one) => `${name}: ${one}`))
  return <Code text={lines.join('\n')} what={what} wraps />
}

const own_to_connection = new Set(['host', 'content-length', 'connection', 'transfer-encoding', 'accept-encoding'])

/** The very request: headers and body as they were sent, so that its signature holds. */
function curlOfAttempt({ url, request_headers }: Attempt, body: string): string {
  const headers = Object.entries(request_headers)
    .filter(([name]) => !own_to_connection.has(name.toLowerCase()))
    .map(([name, value]) => `-H ${inQuotes(`${name}: ${value}`)}`)
  return [`curl ${inQuotes(url)}`, ...headers, `--data-raw ${inQuotes(body)}`].join(' \\\n  ')
}
