import { useState } from 'react'
import type { ApiTokensListInput } from '#sdk/index.ts'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { List } from '../../components/list.tsx'
import { SecretOnce } from '../../components/secret-once.tsx'
import { SelectField } from '../../components/select-field.tsx'
import type { Column } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import { countOf, wordsOf } from '../../lib/format.ts'
import type { ApiToken } from '../../lib/nouns.ts'
import { Link, useSearch } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { useList } from '../../lib/use-answer.ts'
import { FirstCall } from '../first-call.tsx'
import { PageTitle } from '../frame.tsx'
import { useMe } from '../me.tsx'
import { RotateDialog } from './rotate-dialog.tsx'

const day_ms = 86_400_000
const looks = [
  { value: '', words: 'All tokens' },
  { value: 'organization', words: 'Of the organization' },
  { value: 'personal', words: 'Personal' },
  { value: 'expiring', words: 'Expiring within 14 days' },
  { value: 'unused', words: 'Unused for 90 days' },
]

/** To the day, so that the address of one question stays the same while it is looked at. */
const daysFromNow = (days: number) => `${new Date(Date.now() + days * day_ms).toISOString().slice(0, 10)}T00:00:00.000Z`

function filterOf(look: string): ApiTokensListInput {
  if (look === 'organization' || look === 'personal') return { types: [look] }
  if (look === 'expiring' || look === 'attention') return { expiring_before: daysFromNow(15) }
  return look === 'unused' ? { unused_since: daysFromNow(-90) } : {}
}

/** Every credential of the organization, or the own ones, and how each is ended. */
export function TokensPage() {
  const { can, session } = useMe()
  const [search, setSearch] = useSearch()
  const look = search.get('look') ?? ''
  const list = useList(stint.api_tokens.list, filterOf(look))
  const [open, setOpen] = useState<{ what: 'rotate' | 'revoke'; token: ApiToken } | null>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const isManager = can('tokens:write')
  const actions: Column<ApiToken> = {
    ...{ head: 'Actions', look: 'actions' },
    cell: (token) =>
      isOver(token) ? null : (
        <>
          {token.successor_id === null && (token.type === 'organization' || token.user_id === session.user_id) ? (
            <Button look="secondary" size="small" onClick={() => setOpen({ what: 'rotate', token })}>
              Rotate<span className="only-read"> {token.name}</span>
            </Button>
          ) : null}
          <Button look="secondary" size="small" onClick={() => setOpen({ what: 'revoke', token })}>
            Revoke<span className="only-read"> {token.name}</span>
          </Button>
        </>
      ),
  }
  return (
    <>
      <PageTitle
        title="API tokens"
        lead={
          <p>
            {isManager ? 'Every token of the organization.' : 'Your own tokens; owners, admins and developers see all.'}
          </p>
        }
        actions={
          <Link className="button primary" to="/tokens/new" aria-keyshortcuts="c">
            New token
          </Link>
        }
      />
      <div className={look === '' ? 'filters unset' : 'filters'}>
        <SelectField
          label="Show"
          options={looks}
          value={look === 'attention' ? 'expiring' : look}
          onChange={(event) => setSearch({ look: event.currentTarget.value })}
        />
      </div>
      <List
        list={list}
        label="API tokens"
        one="token"
        columns={[...columns, actions]}
        isPale={isOver}
        clearFilters={look === '' ? undefined : () => setSearch({ look: null })}
        empty={<NoToken />}
      />
      {open?.what === 'revoke' ? (
        <ConfirmDialog
          title={`Revoke ${open.token.name}?`}
          action="Revoke token"
          typed={open.token.name}
          onClose={() => setOpen(null)}
          onConfirm={async () => {
            await stint.api_tokens.delete({ api_token_id: open.token.id })
            list.reload()
          }}
        >
          <p>
            Its next call is refused, and so are those of every token and app that was made with it. It was last used{' '}
            <Time at={open.token.last_used_at} none="never" />.
          </p>
        </ConfirmDialog>
      ) : null}
      {open?.what === 'rotate' ? (
        <RotateDialog
          token={open.token}
          onClose={() => setOpen(null)}
          onRotated={(value) => {
            setOpen(null)
            setSecret(value)
            list.reload()
          }}
        />
      ) : null}
      {secret === null ? null : (
        <SecretOnce title="The new value" what="token" secret={secret} onClose={() => setSecret(null)} />
      )}
    </>
  )
}

function isOver({ revoked_at, expires_at }: ApiToken): boolean {
  return revoked_at !== null || (expires_at !== null && Date.parse(expires_at) <= Date.now())
}

const columns: readonly Column<ApiToken>[] = [
  {
    ...{ head: 'Name', look: 'main' },
    cell: ({ name, prefix, last4, type }) => (
      <>
        <strong>
          <bdi>{name}</bdi>
        </strong>{' '}
        {type === 'personal' ? <Badge>personal</Badge> : null}
        <span className="under">
          <code>
            {prefix}…{last4}
          </code>
        </span>
      </>
    ),
  },
  {
    head: 'Access',
    cell: ({ scopes, sensitive_data }) => (
      <>
        <details className="inline">
          <summary>{scopes.length === 1 ? scopes[0] : countOf(scopes.length, 'scope')}</summary>
          <span className="under">{scopes.join(', ')}</span>
        </details>
        {sensitive_data.length > 0 ? (
          <Badge tone="warning">
            <span title={sensitive_data.map(wordsOf).join(', ')}>{sensitive_data.length} sensitive</span>
          </Badge>
        ) : null}
      </>
    ),
  },
  {
    head: 'Created',
    cell: ({ created_by, created_at, maker_left, type }) => (
      <>
        <Time at={created_at} />
        <span className="under">
          by <bdi>{created_by.name}</bdi>
        </span>
        {maker_left && type === 'organization' ? <Badge tone="warning">maker left</Badge> : null}
      </>
    ),
  },
  {
    head: 'Last used',
    cell: ({ last_used_at, last_used_address }) => (
      <>
        <Time at={last_used_at} none="never" />
        {last_used_address ? <span className="under">{last_used_address}</span> : null}
      </>
    ),
  },
  {
    head: 'Ends',
    cell: ({ expires_at, revoked_at, revoked_by, successor_id }) =>
      revoked_at ? (
        <>
          revoked <Time at={revoked_at} />
          <span className="under">
            by <bdi>{revoked_by?.name ?? 'System'}</bdi>
          </span>
        </>
      ) : (
        <>
          <Time at={expires_at} none="never" />
          {successor_id ? <span className="under">replaced</span> : null}
        </>
      ),
  },
]

function NoToken() {
  return (
    <>
      <h2>No token yet</h2>
      <p>A token lets a program call the API with the scopes that you choose, and no more.</p>
      <p>
        <Link className="button primary" to="/tokens/new">
          Create the first token
        </Link>
      </p>
      <p>Then, on a command line:</p>
      <FirstCall />
    </>
  )
}
