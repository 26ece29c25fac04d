import { useState } from 'react'
import type { OauthClientsUpdateInput } from '#sdk/index.ts'
import { Banner } from '../../components/banner.tsx'
import { Button } from '../../components/button.tsx'
import { ErrorBanner } from '../../components/error-banner.tsx'
import { Failed } from '../../components/list.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { TextArea } from '../../components/text-area.tsx'
import { faultAt, isOfNoField } from '../../lib/faults.ts'
import { changesOf, valuesOf } from '../../lib/form-values.ts'
import type { OauthClient } from '../../lib/nouns.ts'
import { plainText } from '../../lib/plain-text.ts'
import { goTo, Link } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { useAnswer } from '../../lib/use-answer.ts'
import { useSubmit } from '../../lib/use-submit.ts'
import { PageTitle } from '../frame.tsx'
import { ClientFields, client_pointers, NameOfClient, redirectsIn, useClientRights } from './client-fields.tsx'

const pointers = [...client_pointers, '/description']
const back = { to: '/oauth', words: 'OAuth clients' }

/** Changes a client that was made here; where it runs and whom it acts for stay as they were chosen. */
export function EditClientPage({ id }: { id: string }) {
  const { value: client, error, reload } = useAnswer(stint.oauth_clients.get, { client_id: id })
  if (client?.kind === 'managed') return <EditForm client={client} />
  return (
    <>
      <PageTitle title="Edit client" back={back} />
      {client ? <p>This client is of others: it can be verified or blocked, and not changed.</p> : null}
      {error ? <Failed error={error} reload={reload} /> : client ? null : <Skeleton rows={6} />}
    </>
  )
}

function EditForm({ client }: { client: OauthClient }) {
  const { client_id, grant_types } = client
  const acts = {
    people: grant_types.includes('authorization_code'),
    itself: grant_types.includes('client_credentials'),
  }
  const rights = useClientRights(acts, client)
  const [wasSubmitted, setSubmitted] = useState(false)
  const here = `/oauth?client=${encodeURIComponent(client_id)}`
  const isLess = client.scopes?.some((scope) => !rights.scopes.includes(scope)) ?? false
  const { submit, isBusy, error } = useSubmit(async (form) => {
    setSubmitted(true)
    if (rights.scopes.length === 0) return document.getElementById('scopes')?.focus()
    const sorted = (words: readonly string[]) => [...words].sort()
    const given = {
      ...valuesOf(form, ['name', 'description']),
      ...(acts.people && { redirect_uris: redirectsIn(form) }),
      ...{ scopes: sorted(rights.scopes), sensitive_data: sorted(rights.sensitive_data) },
    }
    const before = {
      ...client,
      ...{ scopes: sorted(client.scopes ?? []), sensitive_data: sorted(client.sensitive_data) },
    }
    const changes = changesOf(given, before)
    if (Object.keys(changes).length > 0) {
      // The cast holds because the scopes and categories are those that the service gave with the session or the client.
      await stint.oauth_clients.update({ client_id, ...changes } as OauthClientsUpdateInput)
    }
    goTo(here)
  })
  return (
    <>
      <PageTitle title={`Edit ${plainText(client.name)}`} back={back} />
      <form className="stack form" onSubmit={submit} noValidate>
        {isOfNoField(error, pointers) ? <ErrorBanner error={error} /> : null}
        <NameOfClient client={client} error={error} />
        <TextArea
          label="Description (optional)"
          name="description"
          hint="What it is for, in your words. People see it when the client asks them."
          maxLength={1_000}
          defaultValue={client.description ?? ''}
          fault={faultAt(error, '/description')}
        />
        <ClientFields {...{ client, rights, wasSubmitted, error }} />
        {isLess ? (
          <Banner tone="warning" title="It loses a right.">
            <p>Whoever allowed it that right before has to allow the rest anew: those permissions end when you save.</p>
          </Banner>
        ) : null}
        <div className="actions">
          <Button type="submit" isBusy={isBusy}>
            Save changes
          </Button>
          <Link className="button secondary" to={here}>
            Cancel
          </Link>
        </div>
      </form>
    </>
  )
}
