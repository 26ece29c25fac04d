import { useState } from 'react'
import { Check } from '../../components/choice-list.tsx'
import { SelectField } from '../../components/select-field.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { durationOf, splitSecondOf } from '../../lib/format.ts'
import type { Attempt } from '../../lib/nouns.ts'
import { attemptWords } from './health.tsx'

interface Row {
  id: string
  values: readonly [string, string]
}

/** Two attempts of one delivery beside each other; only what differs, unless all is asked for. */
export function CompareAttempts({ attempts }: { attempts: readonly Attempt[] }) {
  const [ids, setIds] = useState<readonly [string, string]>([attempts.at(-2)?.id ?? '', attempts.at(-1)?.id ?? ''])
  const [isWhole, setWhole] = useState(false)
  const [one, other] = ids.map((id) => attempts.find((attempt) => attempt.id === id))
  if (!one || !other) return null
  const rows = rowsOf(one, other).filter(({ values: [a, b] }) => isWhole || a !== b)
  const options = attempts.map((attempt) => ({ value: attempt.id, words: attemptWords(attempt) }))
  const columns: readonly Column<Row>[] = [
    { head: 'What', cell: ({ id }) => id },
    { head: attemptWords(one), cell: ({ values }) => <bdi>{values[0]}</bdi> },
    // The same attempt may be chosen twice, and names of columns differ.
    { head: one === other ? 'The same' : attemptWords(other), cell: ({ values }) => <bdi>{values[1]}</bdi> },
  ]
  return (
    <div className="compare">
      <div className="filters">
        <SelectField
          label="Attempt"
          options={options}
          value={one.id}
          onChange={(event) => setIds([event.currentTarget.value, other.id])}
        />
        <SelectField
          label="Compared with"
          options={options}
          value={other.id}
          onChange={(event) => setIds([one.id, event.currentTarget.value])}
        />
      </div>
      <Check checked={isWhole} onChange={setWhole}>
        Also what is the same
      </Check>
      {rows.length > 0 ? (
        <Table label="Comparison" columns={columns} rows={rows} />
      ) : (
        <p className="hint">Nothing differs.</p>
      )}
    </div>
  )
}

const facts: Readonly<Record<string, (attempt: Attempt) => string | number | boolean | null>> = {
  Started: ({ started_at }) => splitSecondOf(started_at),
  Outcome: ({ outcome }) => outcome,
  Error: ({ error_class }) => error_class,
  Detail: ({ error_detail }) => error_detail,
  'Answer status': ({ response_status }) => response_status,
  Then: ({ decision }) => decision,
  DNS: ({ dns_ms }) => durationOf(dns_ms),
  Connect: ({ connect_ms }) => durationOf(connect_ms),
  TLS: ({ tls_ms }) => durationOf(tls_ms),
  'First byte': ({ first_byte_ms }) => durationOf(first_byte_ms),
  Total: ({ total_ms }) => durationOf(total_ms),
  Address: ({ resolved_ip }) => resolved_ip,
  'TLS version': ({ tls_version }) => tls_version,
  'Connection reused': ({ connection_reused }) => (connection_reused ? 'yes' : 'no'),
  'Signed with': ({ key_labels }) => key_labels.join(', '),
  'Answer body': ({ response_text, response_body }) => response_text ?? response_body,
}

type Headers = Attempt['request_headers'] | null

function rowsOf(one: Attempt, other: Attempt): Row[] {
  const named = Object.entries(facts).map(([id, read]) => rowOf(id, read(one), read(other)))
  return [
    ...named,
    ...headerRows('Sent', one.request_headers, other.request_headers),
    ...headerRows('Answered', one.response_headers, other.response_headers),
  ]
}

function headerRows(what: string, one: Headers, other: Headers): Row[] {
  const names = new Set([...Object.keys(one ?? {}), ...Object.keys(other ?? {})])
  return [...names].sort().map((name) => rowOf(`${what} ${name}`, textOf(one?.[name]), textOf(other?.[name])))
}

const textOf = (value: unknown) => (value === undefined ? null : [value].flat().join(', '))

const rowOf = (id: string, one: unknown, other: unknown): Row => ({
  id,
  values: [String(one ?? '–') || '–', String(other ?? '–') || '–'],
})
