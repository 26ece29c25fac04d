import type { Contract } from '#sdk/index.ts'
import { Badge } from '../../components/badge.tsx'
import { Code } from '../../components/code.tsx'
import { Day } from '../../components/date.tsx'
import { Filters, SearchFilter, SelectFilter, SeveralFilter, useFilters } from '../../components/filters.tsx'
import { List } from '../../components/list.tsx'
import { Status, statusWords } from '../../components/status.tsx'
import type { Column } from '../../components/table.tsx'
import { Link } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { useAnswer, useList } from '../../lib/use-answer.ts'
import { curlOf } from '../curl.ts'
import { PageTitle } from '../frame.tsx'
import { countryName, lookup } from '../lookup-field.tsx'
import { useMe } from '../me.tsx'
import { PersonFilter } from '../person-filter.tsx'
import { Rate } from './terms-facts.tsx'
import { contract_types, typeWords } from './words.ts'

const statuses = ['pending', 'active', 'completed', 'terminated', 'cancelled', 'rejected'] as const
const types = contract_types.map(({ value }) => value)
const names = ['search', 'statuses', 'types', 'country', 'archive', 'person']

/** Every contract, the newest first. */
export function ContractsPage() {
  const { can } = useMe()
  const { one, several, clear, count } = useFilters(names)
  const country = one('country')
  const archive = one('archive')
  const list = useList(stint.contracts.list, {
    ...{ search: one('search'), statuses: several('statuses', statuses), types: several('types', types) },
    ...{ countries: country ? [country] : undefined, worker_id: one('person') },
    is_archived: archive === 'all' ? undefined : archive === 'only',
  })
  const countries = useAnswer(lookup, 'countries')
  const mayWrite = can('contracts:write')
  return (
    <>
      <PageTitle
        title="Contracts"
        lead={<p>What is agreed with each worker: the terms, the signatures, the changes, the end.</p>}
        actions={
          mayWrite ? (
            <Link className="button primary" to="/contracts/new" aria-keyshortcuts="c">
              New contract
            </Link>
          ) : null
        }
      />
      <Filters count={count}>
        <SearchFilter name="search" label="Search" placeholder="Title, name or e-mail" />
        <SeveralFilter
          name="statuses"
          label="Status"
          options={statuses.map((value) => ({ value, words: statusWords(value) }))}
        />
        <SeveralFilter name="types" label="Type" options={contract_types} />
        <PersonFilter name="person" label="Worker" />
        <SelectFilter
          name="country"
          label="Country"
          options={[{ value: '', words: 'Any' }, ...(countries.value ?? named(country))]}
        />
        <SelectFilter
          name="archive"
          label="Archive"
          options={[
            { value: '', words: 'Not archived' },
            { value: 'only', words: 'Archived only' },
            { value: 'all', words: 'All' },
          ]}
        />
      </Filters>
      <List
        list={list}
        label="Contracts"
        one="contract"
        columns={columns}
        isPale={({ is_archived }) => is_archived}
        clearFilters={clear}
        empty={<NoContract mayWrite={mayWrite} />}
      />
    </>
  )
}

const named = (country: string | undefined) => (country ? [{ value: country, words: countryName(country) }] : [])

const columns: readonly Column<Contract>[] = [
  {
    ...{ head: 'Contract', look: 'main' },
    cell: ({ id, title, worker_name, is_archived }) => (
      <>
        <Link to={`/contracts/${id}`}>
          <bdi>{title}</bdi>
        </Link>{' '}
        {is_archived ? <Badge>Archived</Badge> : null}
        <span className="under">
          <bdi>{worker_name}</bdi>
        </span>
      </>
    ),
  },
  {
    head: 'Status',
    cell: (contract) => (
      <>
        <Status value={contract.status} />
        <span className="under">{note(contract)}</span>
      </>
    ),
  },
  {
    head: 'Type',
    cell: ({ type, country }) => (
      <>
        {typeWords(type)}
        <span className="under">{countryName(country)}</span>
      </>
    ),
  },
  { ...{ head: 'Rate', look: 'number' }, cell: (contract) => <Rate contract={contract} /> },
  { head: 'Start', cell: ({ start_date }) => <Day value={start_date} /> },
  { head: 'Last day', cell: ({ last_day }) => <Day value={last_day} none="open" /> },
]

/** The party that a contract waits for, or that it is about to end. */
function note({ status, signatures, termination }: Contract): string {
  if (status === 'active') return termination ? 'ending' : ''
  if (status !== 'pending') return ''
  if (signatures.client_signed_at) return 'waits for the worker'
  return signatures.worker_signed_at ? 'waits for the company' : 'waits for both'
}

function NoContract({ mayWrite }: { mayWrite: boolean }) {
  const { base_url } = useMe()
  const body = {
    ...{ type: 'fixed_rate', title: 'Backend developer', start_date: '2027-01-04' },
    worker: { first_name: 'Ana', last_name: 'Silva', email: 'ana@example.com', country: 'PT' },
    compensation: { amount: '4200.00', currency: 'EUR', frequency: 'monthly' },
  }
  return (
    <>
      <h2>No contract yet</h2>
      <p>A contract says what a worker does and is paid. It binds nobody until both have signed.</p>
      {mayWrite ? (
        <p>
          <Link className="button primary" to="/contracts/new">
            Write the first contract
          </Link>
        </p>
      ) : null}
      <p>Or on a command line:</p>
      <Code text={curlOf(base_url, 'POST', '/contracts', body)} what="call that creates a contract" />
    </>
  )
}
