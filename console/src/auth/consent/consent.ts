import { call } from '../../lib/api.ts'
import { loadSession } from '../../lib/session.ts'

/** The request of a client, as the service judged it: the page shows it and decides nothing of its own. */
export interface Consent {
  request_id: string
  csrf_token: string
  client: {
    client_id: string
    name: string
    /** Scripts that one word of the name mixes. */
    mixed_scripts: string[]
    kind: 'dynamic' | 'document' | 'managed'
    /** The host of the client's own document; null for the others. */
    document_host: Host | null
    description: string | null
    client_uri: string | null
    /** The organization that made a managed client. */
    managed_by: string | null
  }
  redirect: Host & { is_loopback: boolean; is_private_scheme: boolean }
  resource: 'mcp' | 'rest'
  organizations: Place[]
  expires_at: string
}

/** A host in ASCII, as people read it, and the scripts that one part of it mixes. */
export interface Host {
  host: string
  unicode_host: string
  mixed_scripts: string[]
}

/** One way in which this person can act: as member of an organization, or as worker on the own rows. */
export interface Place {
  organization_id: string
  name: string
  is_sandbox: boolean
  role: string | null
  as: 'member' | 'worker'
  person_id: string | null
  client_verdict: 'verified' | 'blocked' | null
  scopes: ScopeChoice[]
  sensitive_data: { name: string; words: string }[]
}

export interface ScopeChoice {
  name: string
  words: string
  state: 'offered' | 'unticked' | 'struck_out'
  was_granted: boolean
  is_needed: boolean
}

export interface Decision {
  decision: 'approve' | 'deny'
  place: Place
  scopes: string[]
  sensitive_data: string[]
}

/** The request, and whose decision it is. */
export async function loadConsent(request_id: string): Promise<{ consent: Consent; email: string }> {
  const [consent, { session }] = await Promise.all([
    call<Consent>('GET', `/consent/${encodeURIComponent(request_id)}`),
    loadSession(),
  ])
  return { consent, email: session?.email ?? '' }
}

export async function decide(
  { request_id, csrf_token }: Consent,
  { decision, place, scopes, sensitive_data }: Decision,
): Promise<string> {
  const { organization_id, person_id } = place
  const { redirect_to } = await call<{ redirect_to: string }>('POST', `/consent/${encodeURIComponent(request_id)}`, {
    body: { csrf_token, decision, organization_id, person_id, scopes, sensitive_data },
  })
  return redirect_to
}

export function keyOf({ as, organization_id }: Place): string {
  return `${as} ${organization_id}`
}
