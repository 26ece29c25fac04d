import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Code } from '../../components/code.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { Time } from '../../components/time.tsx'
import { countOf } from '../../lib/format.ts'
import type { Provisioning } from '../../lib/nouns.ts'
import { Link } from '../../lib/router.tsx'
import { base, providers } from './steps.ts'

type Credential = Provisioning['credentials'][number]

/** All that an identity provider is told, and where it is told so. */
export function ConnectionTab({ provisioning }: { provisioning: Provisioning }) {
  const { base_url, credentials, last_success_at, last_day, people } = provisioning
  return (
    <>
      <section className="section" aria-labelledby="state">
        <h2 id="state">State</h2>
        <Facts>
          <Fact name="Last sync">
            <Time at={last_success_at} none="never" />
          </Fact>
          <Fact name="Last 24 hours">
            {countOf(last_day.succeeded, 'request')} succeeded, {last_day.failed.toLocaleString('en')} refused
          </Fact>
          <Fact name="Keeps">{countOf(people.linked, 'person')}</Fact>
        </Facts>
      </section>
      <section className="section" aria-labelledby="address">
        <h2 id="address">Base address</h2>
        <Code text={base_url} what="base address" />
      </section>
      <section className="section" aria-labelledby="credentials">
        <h2 id="credentials">Credentials</h2>
        {credentials.length > 0 ? (
          <Table label="Credentials" columns={columns} rows={credentials} isPale={isOver} />
        ) : (
          <p>None yet.</p>
        )}
        <p className="hint">
          <Link to="/tokens/new?for=provisioning">Make a token</Link> with the right to provision and nothing else, or
          an <Link to="/oauth/new?for=provisioning">OAuth client</Link> for a provider that wants client credentials.
        </p>
      </section>
      <Steps base_url={base_url} />
    </>
  )
}

const isOver = ({ expires_at }: Credential) => expires_at !== null && Date.parse(expires_at) <= Date.now()

const columns: readonly Column<Credential>[] = [
  {
    ...{ head: 'Name', look: 'main' },
    cell: ({ name, kind, scopes }) => (
      <>
        <strong>
          <bdi>{name}</bdi>
        </strong>{' '}
        {kind === 'oauth_client' ? <Badge>OAuth client</Badge> : null}
        <span className="under">
          {scopes.some((scope) => !scope.startsWith('scim:')) ? 'can do more than provision' : scopes.join(', ')}
        </span>
      </>
    ),
  },
  {
    head: 'Made',
    cell: ({ created_at, created_by, maker_left }) => (
      <>
        <Time at={created_at} />
        <span className="under">
          by <bdi>{created_by.name}</bdi>
          {maker_left ? ', who left' : ''}
        </span>
      </>
    ),
  },
  { head: 'Last used', cell: ({ last_used_at }) => <Time at={last_used_at} none="never" /> },
  { head: 'Ends', cell: ({ expires_at }) => <Time at={expires_at} none="never" /> },
]

const tabs = providers.map(({ name }) => ({ name, words: name }))

function Steps({ base_url }: { base_url: string }) {
  const [chosen, setChosen] = useState(tabs[0]?.name ?? '')
  const provider = providers.find(({ name }) => name === chosen)
  return (
    <section className="section" aria-labelledby="steps">
      <h2 id="steps">Steps at your identity provider</h2>
      <Tabs
        label="Identity providers"
        tabs={tabs}
        current={chosen}
        hrefOf={() => '#steps'}
        onChoose={(name) => setChosen(name)}
      />
      <ol className="provider-steps">
        {provider?.steps.map(([place, value]) => (
          <li key={place}>
            <span>{place}</span>
            {value === base ? (
              <span>
                <code>{base_url}</code> <CopyButton text={base_url} what={place} />
              </span>
            ) : (
              <strong>{value}</strong>
            )}
          </li>
        ))}
      </ol>
      <p>{provider?.end}</p>
    </section>
  )
}
