import type { WebhooksListDeliveriesInput } from '#sdk/index.ts'
import { Filters as FilterFields, useFilters } from '../../components/filters.tsx'
import { SelectField } from '../../components/select-field.tsx'
import { TextField } from '../../components/text-field.tsx'
import { useSearch } from '../../lib/router.tsx'
import type { Query } from '../../lib/service.ts'

const statuses = [
  { value: '', words: 'Any status' },
  { value: 'pending,sending', words: 'Under way' },
  { value: 'succeeded', words: 'Succeeded' },
  { value: 'failed,expired', words: 'Failed or expired' },
  { value: 'held', words: 'Held' },
  { value: 'discarded,cancelled', words: 'Discarded or cancelled' },
]
const origins = [
  { value: '', words: 'Any origin' },
  { value: 'event', words: 'Event' },
  { value: 'simulation', words: 'Simulation' },
  { value: 'redelivery', words: 'Redelivery' },
  { value: 'replay', words: 'Replay' },
]
const periods = [
  { value: '', words: 'Any time' },
  { value: '1', words: 'Last hour' },
  { value: '24', words: 'Last 24 hours' },
  { value: '168', words: 'Last 7 days' },
]
const hour_ms = 3_600_000

/** To the full minute, so that one question stays one. */
const hoursAgo = (hours: number) => new Date(Math.floor((Date.now() - hours * hour_ms) / 60_000) * 60_000).toISOString()

type Filters = Omit<WebhooksListDeliveriesInput, 'webhook_id'>

/** The cast holds because the service refuses a word that it does not know. */
export function queryOfFilters(search: URLSearchParams): Filters & Query {
  const [status, type, origin] = ['status', 'type', 'origin'].map((name) => search.get(name) || undefined)
  const period = Number(search.get('period') ?? 0)
  return {
    statuses: status?.split(','),
    event_types: type && [type],
    origins: origin && [origin],
    resource_id: search.get('resource') || undefined,
    since: period > 0 ? hoursAgo(period) : undefined,
  } as Filters & Query
}

export function DeliveryFilters({ types }: { types: readonly string[] }) {
  const [search, setSearch] = useSearch()
  const field = (name: string) => ({
    value: search.get(name) ?? '',
    onChange: (event: { currentTarget: { value: string } }) => setSearch({ [name]: event.currentTarget.value }),
  })
  const { count } = useFilters(['status', 'type', 'origin', 'period', 'resource'])
  const options = [{ value: '', words: 'Any event type' }, ...types.map((value) => ({ value, words: value }))]
  return (
    <FilterFields count={count}>
      <SelectField label="Status" options={statuses} {...field('status')} />
      <SelectField label="Event type" options={options} {...field('type')} />
      <SelectField label="Origin" options={origins} {...field('origin')} />
      <SelectField label="Period" options={periods} {...field('period')} />
      <TextField
        label="Resource id"
        defaultValue={search.get('resource') ?? ''}
        placeholder="of a contract, person …"
        onChange={(event) => {
          const id = event.currentTarget.value.trim()
          if (id === '' || uuid.test(id)) setSearch({ resource: id })
        }}
      />
    </FilterFields>
  )
}

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i
