import { Badge } from '../../components/badge.tsx'
import { plainText } from '../../lib/plain-text.ts'
import type { Consent, Place } from './consent.ts'
import { MixedScripts, ReadableHost } from './host-name.tsx'

/** The client and the place that its answer goes to. Names are its own claim and stand as text, apart from our words. */
export function ClientBlock({ consent, place }: { consent: Consent; place: Place }) {
  const { client, resource } = consent
  return (
    <>
      <div className="client">
        <p className="client-name">
          <bdi>{plainText(client.name)}</bdi> <ClientBadge client={client} place={place} />
        </p>
        <MixedScripts scripts={client.mixed_scripts} what="This name" />
        {client.document_host ? <ReadableHost host={client.document_host} /> : null}
        <p>
          wants to use {resource === 'mcp' ? 'the tools' : 'the REST API'} of Stint <strong>in your name</strong>.
        </p>
        {client.description ? <Description text={plainText(client.description)} /> : null}
      </div>
      <RedirectBlock consent={consent} />
    </>
  )
}

/** A long description would push what matters out of sight. */
function Description({ text }: { text: string }) {
  const words = <bdi className="client-words">{text}</bdi>
  if (text.length <= shown_characters_max) return <p>It says of itself: {words}</p>
  return (
    <details>
      <summary>What it says of itself</summary>
      {words}
    </details>
  )
}

const shown_characters_max = 160

function ClientBadge({ client, place }: { client: Consent['client']; place: Place }) {
  if (place.client_verdict === 'verified') {
    return (
      <Badge tone="good">
        Verified by <bdi>{place.name}</bdi>
      </Badge>
    )
  }
  if (client.kind === 'managed') {
    return (
      <Badge tone="good">
        Managed by <bdi>{client.managed_by}</bdi>
      </Badge>
    )
  }
  return client.document_host ? (
    <Badge>
      <bdi>{client.document_host.host}</bdi>
    </Badge>
  ) : (
    <Badge tone="warning">Unverified</Badge>
  )
}

function RedirectBlock({ consent: { redirect, client } }: { consent: Consent }) {
  const { host, is_loopback, is_private_scheme } = redirect
  const isOnThisComputer = is_loopback || is_private_scheme
  return (
    <div className={`redirect ${isOnThisComputer ? 'careful' : ''}`}>
      <p className="hint">Access goes to {isOnThisComputer ? 'a program on this computer' : ''}</p>
      <p className="redirect-host">
        <bdi>{host}</bdi>
      </p>
      <ReadableHost host={redirect} />
      {isOnThisComputer ? (
        <p>Allow this only if you have just started connecting from a program that you trust.</p>
      ) : null}
      {client.kind === 'dynamic' && !isOnThisComputer ? (
        <p>Anybody can register under any name. Go by this address, not by the name above.</p>
      ) : null}
    </div>
  )
}
