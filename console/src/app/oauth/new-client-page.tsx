import { useState } from 'react'
import type { OauthClientsCreateInput } from '#sdk/index.ts'
import { Button } from '../../components/button.tsx'
import { Check, Radios } from '../../components/choice-list.tsx'
import { ErrorBanner } from '../../components/error-banner.tsx'
import { PageForm } from '../../components/page-form.tsx'
import { SecretOnce, shown_before } from '../../components/secret-once.tsx'
import { TextArea } from '../../components/text-area.tsx'
import { TextField } from '../../components/text-field.tsx'
import type { ApiError } from '../../lib/api.ts'
import { faultAt, isOfNoField } from '../../lib/faults.ts'
import { goTo, Link } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { textOf, useSubmit } from '../../lib/use-submit.ts'
import { PageTitle } from '../frame.tsx'
import { useMe } from '../me.tsx'
import { SensitiveChoice } from '../sensitive-choice.tsx'
import { ScopeTable } from '../tokens/scope-table.tsx'

const pointers = [
  '/name',
  '/redirect_uris',
  '/scopes',
  '/sensitive_data',
  '/grant_types',
  '/token_endpoint_auth_method',
]

type Form = 'web' | 'native'
type Grant = 'authorization_code' | 'client_credentials'

/** A client of this organization. One that people use asks each of them; one that acts by itself has its rights from here. */
export function NewClientPage() {
  const { membership } = useMe()
  const [form, setForm] = useState<Form>('web')
  const [grants, setGrants] = useState<ReadonlySet<Grant>>(new Set(['authorization_code']))
  const [scopes, setScopes] = useState<ReadonlySet<string>>(new Set())
  const [sensitive_data, setSensitive] = useState<ReadonlySet<string>>(new Set())
  const [made, setMade] = useState<{ client_id: string; secret: string | null } | null>(null)
  const [wasSubmitted, setSubmitted] = useState(false)
  const [key] = useState(() => crypto.randomUUID())
  const actsItself = grants.has('client_credentials')
  const givable = membership.scopes.filter(({ name }) => actsItself || !name.startsWith('scim:'))
  const chosen = givable.map(({ name }) => name).filter((name) => scopes.has(name))
  const { submit, isBusy, error } = useSubmit(async (fields) => {
    setSubmitted(true)
    if (grants.size === 0) return document.getElementById('grants')?.focus()
    if (chosen.length === 0) return document.getElementById('scopes')?.focus()
    const body = {
      name: textOf(fields, 'name'),
      application_type: form,
      grant_types: [...grants],
      redirect_uris: grants.has('authorization_code') ? linesOf(textOf(fields, 'redirect_uris')) : [],
      scopes: chosen,
      sensitive_data: actsItself ? [...sensitive_data] : [],
      // A program on somebody's device keeps no secret (RFC 8252 §8.5); one that acts by itself has to.
      token_endpoint_auth_method: form === 'native' && !actsItself ? 'none' : 'client_secret_basic',
      // The cast holds because the names are those that the service gave with the session.
    } as OauthClientsCreateInput
    const { client_id, client_secret } = await stint.oauth_clients.create(body, { idempotency_key: key })
    const is_public = body.token_endpoint_auth_method === 'none'
    setMade({ client_id, secret: is_public ? null : (client_secret ?? shown_before) })
    if (is_public) goTo(`/oauth?client=${encodeURIComponent(client_id)}`)
  })
  return (
    <>
      <PageTitle title="New OAuth client" back={{ to: '/oauth', words: 'OAuth clients' }} />
      <PageForm isBusy={isBusy} hasFailed={error !== null} onSubmit={submit}>
        {isOfNoField(error, pointers) ? <ErrorBanner error={error} /> : null}
        <TextField
          label="Name"
          name="name"
          hint="People see it when the client asks them."
          required
          maxLength={150}
          autoComplete="off"
          fault={faultAt(error, '/name')}
        />
        <Radios
          name="form"
          legend="Where it runs"
          value={form}
          onChange={setForm}
          options={[
            { value: 'web', words: 'On a server', hint: 'It keeps a secret.' },
            { value: 'native', words: 'On a person’s device', hint: 'It can keep no secret, and needs none.' },
          ]}
        />
        <Grants grants={grants} isMissing={wasSubmitted && grants.size === 0} onChange={setGrants} />
        {grants.has('authorization_code') ? <Redirects error={error} /> : null}
        <ScopeTable
          rights={givable}
          chosen={scopes}
          onChange={setScopes}
          fault={
            wasSubmitted && chosen.length === 0
              ? 'Choose at least one: a client without a scope can do nothing.'
              : faultAt(error, '/scopes')
          }
        />
        {actsItself ? (
          <SensitiveChoice
            legend="Sensitive data"
            hint="Off: these fields are empty in every answer that it gets for the organization."
            chosen={sensitive_data}
            onChange={setSensitive}
          />
        ) : null}
        <div className="actions">
          <Button type="submit" isBusy={isBusy}>
            Create client
          </Button>
          <Link className="button secondary" to="/oauth">
            Cancel
          </Link>
        </div>
      </PageForm>
      {made?.secret ? <ClientSecret client_id={made.client_id} secret={made.secret} /> : null}
    </>
  )
}

interface GrantsProps {
  grants: ReadonlySet<Grant>
  isMissing: boolean
  onChange(grants: ReadonlySet<Grant>): void
}

function Grants({ grants, isMissing, onChange }: GrantsProps) {
  const box = (name: Grant, words: string) => (
    <Check
      checked={grants.has(name)}
      onChange={(isOn) => onChange(new Set([...grants, name].filter((one) => isOn || one !== name)))}
    >
      {words}
    </Check>
  )
  return (
    <fieldset id="grants" tabIndex={-1}>
      <legend>Whom it acts for</legend>
      {isMissing ? (
        <p className="fault" role="alert">
          Choose at least one.
        </p>
      ) : null}
      {box('authorization_code', 'People who allow it')}
      {box('client_credentials', 'This organization, without a person')}
    </fieldset>
  )
}

function Redirects({ error }: { error: ApiError | null }) {
  return (
    <TextArea
      label="Redirect addresses"
      name="redirect_uris"
      hint="One on each line. People are sent back to exactly these."
      required
      rows={3}
      spellCheck={false}
      placeholder="https://desk.example.org/callback"
      fault={faultAt(error, '/redirect_uris')}
    />
  )
}

function ClientSecret({ client_id, secret }: { client_id: string; secret: string }) {
  const leave = () => goTo(`/oauth?client=${encodeURIComponent(client_id)}`)
  return (
    <SecretOnce title="The client’s secret" what="client secret" secret={secret} onClose={leave}>
      <p>
        It goes with the client id <code>{client_id}</code>, which is no secret and stays readable.
      </p>
    </SecretOnce>
  )
}

const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
