import { useState } from 'react'
import { Banner } from '../../components/banner.tsx'
import { SecretOnce, shown_before } from '../../components/secret-once.tsx'
import { goTo, Link } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { PageTitle } from '../frame.tsx'
import { Snippets } from './snippets.tsx'
import { WebhookForm } from './webhook-form.tsx'

type Made = Awaited<ReturnType<typeof stint.webhooks.create>>

export function NewWebhookPage() {
  const [key] = useState(() => crypto.randomUUID())
  const [made, setMade] = useState<Made | null>(null)
  return (
    <>
      <PageTitle title="New webhook" back={{ to: '/webhooks', words: 'Webhooks' }} />
      <WebhookForm
        action="Create webhook"
        aside={
          <Link className="button secondary" to="/webhooks">
            Cancel
          </Link>
        }
        onSubmit={async (body) => setMade(await stint.webhooks.create(body, { idempotency_key: key }))}
      />
      {made ? (
        <SecretOnce
          title="The signing key"
          what="signing key"
          secret={made.signing_key ?? shown_before}
          onClose={() => {
            const { id } = made
            setMade(null)
            goTo(`/webhooks/${id}?tab=events`)
          }}
        >
          {made.warnings?.includes('url_unresolved') ? (
            <Banner tone="warning" title="The host name does not resolve yet.">
              <p>The webhook is made. Every attempt looks again.</p>
            </Banner>
          ) : null}
          <p>Your receiver proves with it that a delivery comes from here:</p>
          <Snippets />
        </SecretOnce>
      ) : null}
    </>
  )
}
