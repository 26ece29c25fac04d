import { durationOf } from '../../lib/format.ts'
import type { Attempt } from '../../lib/nouns.ts'

const width = 400

/** Shows where the time of an attempt went, all attempts of a delivery to one scale. */
export function TimingBar({ attempt, scale_ms }: { attempt: Attempt; scale_ms: number }) {
  const { dns_ms, connect_ms, tls_ms, first_byte_ms, total_ms } = attempt
  const before = (dns_ms ?? 0) + (connect_ms ?? 0) + (tls_ms ?? 0)
  const wait_ms = first_byte_ms === null ? null : Math.max(0, first_byte_ms - before)
  const rest_ms = total_ms === null ? null : Math.max(0, total_ms - (first_byte_ms ?? before))
  const parts = [
    { name: 'dns', words: 'DNS', ms: dns_ms },
    { name: 'connect', words: 'Connect', ms: connect_ms },
    { name: 'tls', words: 'TLS', ms: tls_ms },
    { name: 'wait', words: 'First byte', ms: wait_ms },
    { name: 'rest', words: first_byte_ms === null ? 'Waiting' : 'Body', ms: rest_ms },
  ].filter((part) => part.ms !== null)
  let x = 0
  return (
    <figure className="timing">
      <svg viewBox={`0 0 ${width} 8`} preserveAspectRatio="none" aria-hidden="true">
        <title>Timings</title>
        <rect className="ground" width={width} height="8" />
        {parts.map(({ name, ms }) => {
          const from = x
          const own = ((ms ?? 0) / scale_ms) * width
          x += own
          return <rect key={name} className={name} x={from} width={own} height="8" />
        })}
      </svg>
      <figcaption>
        {parts.map(({ name, words, ms }) => (
          <span key={name} className={name}>
            {words} {durationOf(ms)}
          </span>
        ))}
        <span>Total {durationOf(total_ms)}</span>
      </figcaption>
    </figure>
  )
}
