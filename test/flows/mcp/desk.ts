import assert from 'node:assert/strict'
import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import type { HttpsService } from '#test/https-service.ts'
import { allow, type SignedIn } from '#test/oauth.ts'

/** A program on a desk that keeps what the client hands it in memory, and the browser beside it. */
export class Desk implements OAuthClientProvider {
  readonly clientMetadata: OAuthClientMetadata = {
    client_name: 'Desk Assistant',
    // Without a port, as programs register that take a free one each time.
    redirect_uris: ['http://127.0.0.1/callback'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    application_type: 'native',
  }
  client: StoredOAuthClientInformation | undefined
  held: StoredOAuthTokens | undefined
  verifier = ''
  discovered: OAuthDiscoveryState | undefined
  /** The address that the browser was sent to last. */
  sent_to: URL | undefined
  /** Every token it was ever given. */
  readonly seen: StoredOAuthTokens[] = []
  readonly redirectUrl: string
  readonly #service: HttpsService | null

  /** Without the service the browser is the test's own business. */
  constructor(service: HttpsService | null, redirectUrl = 'http://127.0.0.1:49152/callback') {
    this.#service = service
    this.redirectUrl = redirectUrl
  }

  state = () => 'x7'
  clientInformation = () => this.client
  tokens = () => this.held
  codeVerifier = () => this.verifier
  discoveryState = () => this.discovered

  saveClientInformation(information: StoredOAuthClientInformation): void {
    this.client = information
  }
  saveTokens(tokens: StoredOAuthTokens): void {
    this.held = tokens
    this.seen.push(tokens)
  }
  saveCodeVerifier(verifier: string): void {
    this.verifier = verifier
  }
  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.discovered = state
  }
  redirectToAuthorization(url: URL): void {
    this.sent_to = url
  }
  invalidateCredentials(what: string): void {
    if (what === 'all' || what === 'tokens') this.held = undefined
    if (what === 'all' || what === 'client') this.client = undefined
  }

  /** The browser follows to the consent page, the user presses Allow; answers what comes back to the redirect URI. */
  async allow(user: SignedIn, wished: Record<string, unknown> = {}): Promise<URLSearchParams> {
    const service = this.#service
    assert.ok(service)
    const { origin, fetch } = service
    assert.ok(this.sent_to, 'the browser was not sent anywhere')
    const answer = await fetch(this.sent_to, { redirect: 'manual' })
    const location = answer.headers.get('location') ?? (await answer.text())
    const request_id = new RegExp(`^${origin}/console/authorize/([\\w-]{43})$`).exec(location)?.[1]
    assert.ok(request_id, location)
    const returned = await allow(service, request_id, user.cookie, wished)
    assert.equal(`${returned.origin}${returned.pathname}`, this.redirectUrl)
    assert.equal(returned.searchParams.get('iss'), origin)
    assert.equal(returned.searchParams.get('state'), 'x7')
    return returned.searchParams
  }
}
