import { useState } from 'react'
import type { OauthClientsCreateInput } from '#sdk/index.ts'
import { Button } from '../../components/button.tsx'
import { Check, Radios } from '../../components/choice-list.tsx'
import { ErrorBanner } from '../../components/error-banner.tsx'
import { PageForm } from '../../components/page-form.tsx'
import { SecretOnce, shown_before } from '../../components/secret-once.tsx'
import { isOfNoField } from '../../lib/faults.ts'
import { goTo, Link, useSearch } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { textOf, useSubmit } from '../../lib/use-submit.ts'
import { PageTitle } from '../frame.tsx'
import { ClientFields, client_pointers, NameOfClient, redirectsIn, useClientRights } from './client-fields.tsx'

const pointers = [...client_pointers, '/grant_types', '/token_endpoint_auth_method']

type Form = 'web' | 'native'
type Grant = 'authorization_code' | 'client_credentials'

/** The client that an identity provider uses. */
const for_provisioning = { name: 'Provisioning', scopes: ['scim:write'] }

/** A client of this organization. One that people use asks each of them; one that acts by itself has its rights from here. */
export function NewClientPage() {
  const [search] = useSearch()
  const preset = search.get('for') === 'provisioning' ? for_provisioning : undefined
  const [form, setForm] = useState<Form>('web')
  const [grants, setGrants] = useState<ReadonlySet<Grant>>(
    new Set([preset ? 'client_credentials' : 'authorization_code']),
  )
  const [made, setMade] = useState<{ client_id: string; secret: string | null } | null>(null)
  const [wasSubmitted, setSubmitted] = useState(false)
  const [key] = useState(() => crypto.randomUUID())
  const actsItself = grants.has('client_credentials')
  const rights = useClientRights({ people: grants.has('authorization_code'), itself: actsItself }, preset)
  const { submit, isBusy, error } = useSubmit(async (fields) => {
    setSubmitted(true)
    if (grants.size === 0) return document.getElementById('grants')?.focus()
    if (rights.scopes.length === 0) return document.getElementById('scopes')?.focus()
    const body = {
      name: textOf(fields, 'name'),
      application_type: form,
      grant_types: [...grants],
      redirect_uris: redirectsIn(fields),
      scopes: rights.scopes,
      sensitive_data: actsItself ? rights.sensitive_data : [],
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
        <NameOfClient error={error} {...(preset && { client: preset })} />
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
        <ClientFields {...{ rights, wasSubmitted, error }} />
        <div className="actions">
          <Button type="submit" isBusy={isBusy}>
            Create client
          </Button>
          <Link className="button secondary" to={preset ? '/provisioning' : '/oauth'}>
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
