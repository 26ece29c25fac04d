import { useEffect } from 'react'
import { Code } from '../../components/code.tsx'
import { Expandable } from '../../components/expandable.tsx'
import { Failed } from '../../components/list.tsx'
import { type Schema, SchemaTree } from '../../components/schema-tree.tsx'
import { SelectField } from '../../components/select-field.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { TextField } from '../../components/text-field.tsx'
import { countOf, hostOf, wordsOf } from '../../lib/format.ts'
import type { Webhook } from '../../lib/nouns.ts'
import { Link, useSearch } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { firstPage, useAnswer } from '../../lib/use-answer.ts'
import { PageTitle } from '../frame.tsx'

/** The catalogue of what can be sent. */
export function EventTypesPage() {
  const [search, setSearch] = useSearch()
  const { value, error, reload } = useAnswer(firstPage(stint.webhooks.list_event_types), {})
  const webhooks = useAnswer(firstPage(stint.webhooks.list), { limit: 100 })
  const types = value?.data ?? []
  const module = search.get('module') ?? ''
  const words = (search.get('q') ?? '').toLowerCase()
  const found = types.filter(
    (type) => (!module || type.module === module) && `${type.name} ${type.description}`.toLowerCase().includes(words),
  )
  const modules = [...new Set(types.map((type) => type.module))].map((one) => ({ value: one, words: wordsOf(one) }))
  const isThere = value !== null
  useEffect(() => {
    // An anchor to one type is followed once the types are there.
    if (isThere && location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView()
  }, [isThere])
  return (
    <>
      <PageTitle title="Event types" lead={<p>What can be sent to a webhook, with an example of each.</p>} />
      <div className="filters">
        <TextField
          label="Search"
          type="search"
          value={search.get('q') ?? ''}
          onChange={(event) => setSearch({ q: event.currentTarget.value })}
        />
        <SelectField
          label="Module"
          options={[{ value: '', words: 'All modules' }, ...modules]}
          value={module}
          onChange={(event) => setSearch({ module: event.currentTarget.value })}
        />
      </div>
      {error ? <Failed error={error} reload={reload} /> : null}
      {value === null && !error ? <Skeleton rows={8} /> : null}
      <ul className="expandable">
        {found.map((type) => (
          <li key={type.name} id={type.name}>
            <Expandable
              isOpen={location.hash === `#${type.name}`}
              summary={
                <>
                  <code>{type.name}</code> <span className="hint">{type.description}</span>
                </>
              }
            >
              <Subscribers name={type.name} webhooks={webhooks.value?.data ?? []} />
              <h2>Example</h2>
              <Code text={JSON.stringify(type.payload_example, null, 2)} what={`example of ${type.name}`} />
              <h2>Fields</h2>
              {/* The cast holds because a schema of the service is one. */}
              <SchemaTree schema={type.json_schema as Schema} label={`fields of ${type.name}`} />
              <Expandable summary="JSON Schema">
                <Code text={JSON.stringify(type.json_schema, null, 2)} what={`schema of ${type.name}`} />
              </Expandable>
            </Expandable>
          </li>
        ))}
      </ul>
      {value ? (
        <p className="hint" role="status">
          {found.length === 0 ? 'No event type fits.' : countOf(found.length, 'event type')}
        </p>
      ) : null}
    </>
  )
}

function Subscribers({ name, webhooks }: { name: string; webhooks: readonly Webhook[] }) {
  const found = webhooks.filter(({ events }) => events.includes(name))
  if (found.length === 0) return <p className="hint">No webhook of yours receives it.</p>
  return (
    <p>
      Sent to{' '}
      {found.map(({ id, name: own, url }, place) => (
        <span key={id}>
          {place > 0 ? ', ' : ''}
          <Link to={`/webhooks/${id}`}>
            <bdi>{own || hostOf(url)}</bdi>
          </Link>
        </span>
      ))}
      .
    </p>
  )
}
