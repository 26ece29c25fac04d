import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { ErrorBanner } from '../../components/error-banner.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { SecretOnce, shown_before } from '../../components/secret-once.tsx'
import { SelectField } from '../../components/select-field.tsx'
import { Time } from '../../components/time.tsx'
import { wordsOf } from '../../lib/format.ts'
import { entryOf, type OauthClient } from '../../lib/nouns.ts'
import { plainText } from '../../lib/plain-text.ts'
import { Link } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { textOf, useSubmit } from '../../lib/use-submit.ts'
import { AsCurl } from '../as-curl.tsx'
import { actsFor, ClientBadge } from './clients-page.tsx'

interface ClientDrawerProps {
  client: OauthClient
  onClose(): void
}

type Asked = 'rotate' | 'delete' | 'block'

/** One client: what it is, what it can be given, and what this organization decides about it. */
export function ClientDrawer({ client, onClose }: ClientDrawerProps) {
  const [asked, setAsked] = useState<Asked | null>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const [name, { client_id }] = [plainText(client.name), client]
  const close = () => setAsked(null)
  return (
    <Dialog title={name} look="drawer" onClose={onClose}>
      <ClientFacts client={client} />
      {client.kind === 'managed' ? (
        <OwnActions client={client} ask={setAsked} />
      ) : (
        <Verdict client={client} ask={setAsked} />
      )}
      <div className="foot-actions">
        <AsCurl method="GET" path={`/oauth-clients/${encodeURIComponent(client_id)}`} />
      </div>
      {asked === 'rotate' ? (
        <RotateDialog
          client={client}
          onClose={close}
          onRotated={(value) => {
            close()
            setSecret(value)
          }}
        />
      ) : null}
      {asked === 'delete' ? (
        <ConfirmDialog
          title={`Delete ${name}?`}
          action="Delete client"
          typed={name}
          onClose={close}
          onConfirm={async () => {
            await stint.oauth_clients.delete({ client_id })
            onClose()
          }}
        >
          <p>Every permission that it has ends now, and its next call is refused.</p>
        </ConfirmDialog>
      ) : null}
      {asked === 'block' ? (
        <ConfirmDialog
          title={`Block ${name}?`}
          action="Block client"
          onClose={close}
          onConfirm={async () => void (await stint.oauth_clients.update({ client_id, verdict: 'blocked' }))}
        >
          <p>Its permissions here end for good, and nobody of this organization can give it another one.</p>
        </ConfirmDialog>
      ) : null}
      {secret === null ? null : (
        <SecretOnce title="The new secret" what="client secret" secret={secret} onClose={() => setSecret(null)} />
      )}
    </Dialog>
  )
}

function ClientFacts({ client }: { client: OauthClient }) {
  const { description, client_id, redirect_uris, scopes, sensitive_data, resources, secrets, created_by } = client
  return (
    <Facts>
      <Fact name="Status">
        <ClientBadge client={client} />
      </Fact>
      {description ? (
        <Fact name="Says of itself">
          <bdi>{plainText(description)}</bdi>
        </Fact>
      ) : null}
      <Fact name="Client id">
        <code>{client_id}</code> <CopyButton text={client_id} what="client id" />
      </Fact>
      <Fact name="Acts for">{actsFor(client)}</Fact>
      <Fact name="Sends people to">
        {redirect_uris.length === 0 ? (
          <span className="none">nowhere</span>
        ) : (
          redirect_uris.map((uri) => (
            <span className="block" key={uri}>
              <code>{uri}</code>
            </span>
          ))
        )}
      </Fact>
      <Fact name="Opens">{resources.map((one) => (one === 'mcp' ? 'Tool server' : 'REST API')).join(', ')}</Fact>
      <Fact name="At most">{scopes === null ? 'what people allow it' : scopes.join(', ')}</Fact>
      {sensitive_data.length > 0 ? <Fact name="Sensitive data">{sensitive_data.map(wordsOf).join(', ')}</Fact> : null}
      {secrets.map(({ prefix, last4, retires_at, created_at }) => (
        <Fact name="Secret" key={created_at}>
          <code>
            {prefix}…{last4}
          </code>
          <span className="under">
            since <Time at={created_at} />
            {retires_at ? (
              <>
                , ends <Time at={retires_at} />
              </>
            ) : null}
          </span>
        </Fact>
      ))}
      <Fact name="Made">
        <Time at={client.created_at} />
        {created_by ? (
          <span className="under">
            by <bdi>{created_by.name}</bdi>
          </span>
        ) : null}
      </Fact>
      <Fact name="Last used">
        <Time at={client.last_used_at} none="never" />
      </Fact>
    </Facts>
  )
}

function OwnActions({ client: { client_id, secrets }, ask }: { client: OauthClient; ask(what: Asked): void }) {
  return (
    <section className="danger-zone" aria-label="Actions">
      <div>
        <h3>Change</h3>
        <p>Its name, its addresses and what it may do at most.</p>
        <Link className="button secondary" to={`/oauth/${client_id}/edit`}>
          Edit client
        </Link>
      </div>
      {secrets.length > 0 ? (
        <div>
          <h3>Rotate the secret</h3>
          <p>A new secret; the old one goes on working for as long as you say.</p>
          <Button look="secondary" onClick={() => ask('rotate')}>
            Rotate secret
          </Button>
        </div>
      ) : null}
      <div>
        <h3>Delete</h3>
        <p>Ends every permission that it has.</p>
        <Button look="danger" onClick={() => ask('delete')}>
          Delete client
        </Button>
      </div>
    </section>
  )
}

interface VerdictProps {
  client: OauthClient
  ask(what: Asked): void
}

const verdictWords = {
  verified: ['Known', 'It is verified: people see no warning when it asks.', 'Take the verification back'],
  blocked: ['Blocked', 'It can ask nobody of this organization.', 'Let it ask again'],
  none: ['Verify', 'Somebody here knows whose program it is. People then see no warning.', 'Verify client'],
} as const

/** The verdict of this organization on a client of others; it counts here only. */
function Verdict({ client: { client_id, verdict }, ask }: VerdictProps) {
  const next = verdict === 'none' ? 'verified' : 'none'
  const { submit, isBusy, error } = useSubmit(async () => {
    await stint.oauth_clients.update({ client_id, verdict: next })
  })
  const [title, text, action] = entryOf(verdictWords, verdict, verdictWords.none)
  return (
    <section className="danger-zone" aria-label="Decision">
      <form onSubmit={submit}>
        <h3>{title}</h3>
        <p>{text}</p>
        {error ? <ErrorBanner error={error} /> : null}
        <Button type="submit" look="secondary" isBusy={isBusy}>
          {action}
        </Button>
      </form>
      {verdict === 'blocked' ? null : (
        <div>
          <h3>Block</h3>
          <p>Ends what it may do here, and nobody can allow it anything more.</p>
          <Button look="danger" onClick={() => ask('block')}>
            Block client
          </Button>
        </div>
      )}
    </section>
  )
}

const overlaps = [
  { value: '0', words: 'Not at all' },
  { value: '3600', words: '1 hour' },
  { value: '86400', words: '1 day' },
  { value: '604800', words: '7 days' },
]

interface RotateDialogProps {
  client: OauthClient
  onRotated(secret: string): void
  onClose(): void
}

function RotateDialog({ client, onRotated, onClose }: RotateDialogProps) {
  const [key] = useState(() => crypto.randomUUID())
  const { submit, isBusy, error } = useSubmit(async (form) => {
    const input = { client_id: client.client_id, overlap_s: Number(textOf(form, 'overlap')) }
    const { client_secret } = await stint.oauth_clients.rotate_secret(input, { idempotency_key: key })
    onRotated(client_secret ?? shown_before)
  })
  return (
    <FormDialog
      title="Rotate the secret"
      action="Make the new secret"
      submit={submit}
      isBusy={isBusy}
      error={error}
      onClose={onClose}
    >
      <p>Change your program over while both secrets work.</p>
      <SelectField label="The old secret goes on working" name="overlap" options={overlaps} defaultValue="3600" />
    </FormDialog>
  )
}
