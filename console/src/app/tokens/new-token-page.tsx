import { useState } from 'react'
import type { ApiTokensCreateInput } from '#sdk/index.ts'
import { Button } from '../../components/button.tsx'
import { Radios } from '../../components/choice-list.tsx'
import { Emphasised } from '../../components/emphasised.tsx'
import { ErrorBanner } from '../../components/error-banner.tsx'
import { PageForm } from '../../components/page-form.tsx'
import { SecretOnce, shown_before } from '../../components/secret-once.tsx'
import { SelectField } from '../../components/select-field.tsx'
import { TextField } from '../../components/text-field.tsx'
import { faultAt, isOfNoField } from '../../lib/faults.ts'
import { goTo, Link, useSearch } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { useSubmit } from '../../lib/use-submit.ts'
import { FirstCall } from '../first-call.tsx'
import { PageTitle } from '../frame.tsx'
import { useMe } from '../me.tsx'
import { SensitiveChoice } from '../sensitive-choice.tsx'
import { reviewOf } from './review.ts'
import { ScopeTable } from './scope-table.tsx'

const lives = [
  { value: '', words: 'No end' },
  { value: '30', words: '30 days' },
  { value: '90', words: '90 days' },
  { value: '365', words: '1 year' },
]
const pointers = ['/name', '/expires_at', '/scopes', '/sensitive_data']
const day_ms = 86_400_000

/** One page from top to bottom, the review in words at its end: what is chosen stays in view. */
export function NewTokenPage() {
  const { can, membership } = useMe()
  const [search] = useSearch()
  const isForProvisioning = search.get('for') === 'provisioning'
  const [name, setName] = useState(isForProvisioning ? 'Provisioning' : '')
  const [days, setDays] = useState(isForProvisioning ? '365' : '90')
  const [type, setType] = useState<TokenType>(can('tokens:write') ? 'organization' : 'personal')
  const [scopes, setScopes] = useState<ReadonlySet<string>>(new Set(isForProvisioning ? ['scim:write'] : []))
  const [sensitive_data, setSensitive] = useState<ReadonlySet<string>>(new Set())
  const [secret, setSecret] = useState<string | null>(null)
  const [wasSubmitted, setSubmitted] = useState(false)
  const [key] = useState(() => crypto.randomUUID())
  const givable = membership.scopes.filter((one) => type === 'organization' || !one.name.startsWith('scim:'))
  const chosen = givable.map((one) => one.name).filter((one) => scopes.has(one))
  const { submit, isBusy, error } = useSubmit(async () => {
    setSubmitted(true)
    if (chosen.length === 0) return document.getElementById('scopes')?.focus()
    const expires_at = days === '' ? null : new Date(Date.now() + Number(days) * day_ms).toISOString()
    // The cast holds because the names are those that the service gave with the session.
    const body = { name, type, scopes: chosen, sensitive_data: [...sensitive_data], expires_at } as ApiTokensCreateInput
    const made = await stint.api_tokens.create(body, { idempotency_key: key })
    setSecret(made.token ?? shown_before)
  })
  return (
    <>
      <PageTitle title="New API token" back={isForProvisioning ? of_provisioning : of_tokens} />
      <PageForm isBusy={isBusy} hasFailed={error !== null} onSubmit={submit}>
        {isOfNoField(error, pointers) ? <ErrorBanner error={error} /> : null}
        <div className="pair">
          <TextField
            label="Name"
            hint="Where it is used, e.g. Payroll export."
            required
            maxLength={100}
            autoComplete="off"
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            fault={faultAt(error, '/name')}
          />
          <SelectField
            label="Ends after"
            hint="Rotate every quarter."
            options={lives}
            value={days}
            onChange={(event) => setDays(event.currentTarget.value)}
            fault={faultAt(error, '/expires_at')}
          />
        </div>
        <TypeChoice type={type} onChange={setType} />
        <ScopeTable
          rights={givable}
          chosen={scopes}
          onChange={setScopes}
          fault={
            wasSubmitted && chosen.length === 0
              ? 'Choose at least one: a token without a scope can call nothing.'
              : faultAt(error, '/scopes')
          }
        />
        <SensitiveChoice
          legend="Sensitive data"
          hint="Off: these fields are empty in every answer that the token gets."
          chosen={sensitive_data}
          onChange={setSensitive}
        />
        <Review
          lines={reviewOf({ rights: givable, chosen, sensitive: membership.sensitive_data, sensitive_data, days })}
        />
        <div className="actions">
          <Button type="submit" isBusy={isBusy}>
            Create token
          </Button>
          <Link className="button secondary" to={isForProvisioning ? '/provisioning' : '/tokens'}>
            Cancel
          </Link>
        </div>
      </PageForm>
      {secret === null ? null : (
        <NewSecret
          secret={secret}
          to={isForProvisioning ? '/provisioning' : '/tokens'}
          forget={() => setSecret(null)}
        />
      )}
    </>
  )
}

const of_tokens = { to: '/tokens', words: 'API tokens' }
const of_provisioning = { to: '/provisioning', words: 'Provisioning' }

type TokenType = 'organization' | 'personal'

function TypeChoice({ type, onChange }: { type: TokenType; onChange(type: TokenType): void }) {
  const { can } = useMe()
  if (!can('tokens:write')) {
    return (
      <p>
        A personal token acts as you, also at the tool server, with at most the rights of your role. Owners, admins and
        developers make tokens of the organization.
      </p>
    )
  }
  return (
    <Radios
      name="type"
      legend="Type"
      value={type}
      onChange={onChange}
      options={[
        {
          value: 'organization',
          words: 'Organization token',
          hint: 'For a service. It goes on working when you leave.',
        },
        {
          value: 'personal',
          words: 'Personal token',
          hint: 'Acts as you, also at the tool server. It ends with your membership, and a lower role lowers it.',
        },
      ]}
    />
  )
}

function Review({ lines }: { lines: readonly string[] }) {
  return (
    <section className="review" aria-label="Review">
      <h2>This token can</h2>
      <ul>
        {lines.map((line) => (
          <li key={line}>
            <Emphasised text={line} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function NewSecret({ secret, to, forget }: { secret: string; to: string; forget(): void }) {
  const close = () => {
    forget()
    goTo(to)
  }
  return (
    <SecretOnce title="Your new token" what="token" secret={secret} onClose={close}>
      {to === '/provisioning' ? (
        <p>Paste it as the token of your identity provider. The steps are on the page of provisioning.</p>
      ) : (
        <>
          <p>Put it into the environment of your program, then try it:</p>
          <FirstCall />
        </>
      )}
    </SecretOnce>
  )
}
