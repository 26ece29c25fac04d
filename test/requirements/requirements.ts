/** One sentence of the interface specification that demands something of the service. */
export interface Requirement {
  id: string
  section: string
  text: string
  /** The issue that will bring it, where it is not there yet. */
  deferred?: string
}

const console_ = 'developer console issue'

/** Every demand of the interface specification; tests cite the ids with `verifies('id')`. */
export const requirements = [
  {
    id: '1.json-over-https',
    section: '1',
    text: 'The service exposes a REST API over HTTPS; JSON is the body format (section 4).',
  },
  { id: '2.1.data', section: '2.1', text: 'data: array of the work statements (amendments) of the page.' },
  { id: '2.1.cursor', section: '2.1', text: 'cursor: string, the cursor for the next page.' },
  { id: '2.1.has-more', section: '2.1', text: 'has_more: boolean, true when more work statements exist.' },
  {
    id: '2.1.total-count',
    section: '2.1',
    text: 'total_count: integer, the number of work statements matching the filters.',
  },
  { id: '2.2.url', section: '2.2', text: 'url: string (HTTPS URL) in the request, the receiving endpoint.' },
  { id: '2.2.events', section: '2.2', text: 'events: array of strings in the request, event type names.' },
  { id: '2.2.description', section: '2.2', text: 'description: string in the request, a free text label.' },
  {
    id: '2.2.signing-key',
    section: '2.2',
    text: 'signing_key: the secret used to verify signatures; returned by the creation response.',
  },
  { id: '2.3.event-type', section: '2.3', text: 'data.meta.event_type: event type name.' },
  {
    id: '2.3.organization-id',
    section: '2.3',
    text: 'data.meta.organization_id: organization that the event belongs to.',
  },
  { id: '2.3.event-id', section: '2.3', text: 'data.meta.event_id: unique per event.' },
  {
    id: '2.3.occurred-at',
    section: '2.3',
    text: 'data.meta.occurred_at: ISO 8601 timestamp, present in the simulated payload.',
  },
  {
    id: '2.3.is-simulation',
    section: '2.3',
    text: 'data.meta.is_simulation: boolean, present and true on simulated events.',
  },
  { id: '2.3.resource', section: '2.3', text: 'data.resource: array of objects; can hold several entries.' },
  { id: '2.3.timestamp', section: '2.3', text: 'timestamp: ISO 8601 timestamp, when the event occurred.' },
  {
    id: '2.3.contract-entry',
    section: '2.3',
    text: 'Entries of contract events hold contract_id, worker_email, status and created_at.',
  },
  {
    id: '2.3.contract-simulated-entry',
    section: '2.3',
    text: 'Simulated contract events also carry type and country.',
  },
  {
    id: '2.4.registration',
    section: '2.4',
    text: 'Dynamic client registration takes and echoes the listed fields and adds client_id.',
  },
  {
    id: '2.4.required-fields',
    section: '2.4',
    text: 'client_name, redirect_uris, grant_types and response_types are required and bounded as listed.',
  },
  { id: '2.5.access-token', section: '2.5', text: 'An OAuth2 access token lives 1 hour.' },
  {
    id: '2.5.refresh-token',
    section: '2.5',
    text: 'A refresh token lives 30 days and is single-use.',
  },
  { id: '2.5.api-token', section: '2.5', text: 'API token: lifetime not stated as limited; shown once at creation.' },
  {
    id: '3.1.retry',
    section: '3.1',
    text: 'active: a non-2xx answer, a timeout after 30 s or an unreachable receiver keeps it active and the delivery is retried.',
  },
  { id: '3.1.success', section: '3.1', text: 'active: a 2xx answer completes the delivery.' },
  {
    id: '3.1.disable',
    section: '3.1',
    text: 'active: after 10 consecutive failures, when the 10th attempt fails, it becomes disabled; no further deliveries.',
  },
  {
    id: '3.1.re-enable',
    section: '3.1',
    text: 'disabled: manual re-enable by the subscriber through the API makes it active; deliveries resume.',
  },
  {
    id: '3.1.re-enable-console',
    section: '3.1',
    text: 'disabled: manual re-enable through the developer console.',
    deferred: console_,
  },
  {
    id: '3.2.refresh',
    section: '3.2',
    text: 'A refresh exchange makes the refresh token invalid and returns a new refresh and access token.',
  },
  {
    id: '3.3.contract-pending',
    section: '3.3',
    text: 'The contract status value pending appears in contract event examples.',
  },
  {
    id: '4.bearer',
    section: '4',
    text: 'All REST operations require the bearer credential of section 5 unless stated.',
  },
  { id: '4.1.list', section: '4.1', text: 'List the amendments (work statements) of a contract.' },
  { id: '4.1.scopes', section: '4.1', text: 'Token scopes named for it: contracts:read, contracts:write.' },
  { id: '4.1.contract-id', section: '4.1', text: 'contract_id in the path: identifier of the contract.' },
  { id: '4.1.statuses', section: '4.1', text: 'statuses in the query: filter by work statement status.' },
  { id: '4.1.sign-statuses', section: '4.1', text: 'sign_statuses in the query: filter by sign status.' },
  { id: '4.1.limit', section: '4.1', text: 'limit in the query: maximum number of work statements to return.' },
  { id: '4.1.cursor', section: '4.1', text: 'cursor in the query: cursor of the page to return.' },
  { id: '4.1.envelope', section: '4.1', text: 'Response on success: the envelope of section 2.1.' },
  { id: '4.2.contracts', section: '4.2', text: 'GET /contracts exists and is an authenticated call.' },
  {
    id: '4.3.create',
    section: '4.3',
    text: 'POST /webhooks takes JSON url, events, description and returns the subscription including signing_key.',
  },
  { id: '4.3.list', section: '4.3', text: 'GET /webhooks returns the list of subscriptions.' },
  { id: '4.3.get', section: '4.3', text: 'GET /webhooks/{id} returns subscription details.' },
  {
    id: '4.3.update',
    section: '4.3',
    text: 'PATCH /webhooks/{id} takes changes to the url and/or events and returns the updated subscription.',
  },
  { id: '4.3.delete', section: '4.3', text: 'DELETE /webhooks/{id} removes the subscription.' },
  {
    id: '4.3.catalogue',
    section: '4.3',
    text: 'GET /webhooks/events returns all available event types with descriptions.',
  },
  { id: '4.4.organizations', section: '4.4', text: 'GET /organizations verifies that an API token works.' },
  {
    id: '4.5.post',
    section: '4.5',
    text: 'The service sends POST to the subscribed url with a JSON body (2.3) and the headers of 6.2.',
  },
  { id: '4.5.2xx', section: '4.5', text: 'The receiver must answer with a 2xx status.' },
  {
    id: '4.6.tool-server',
    section: '4.6',
    text: 'initialize and tools/list need no authentication; a protected tool needs a valid access token.',
  },
  {
    id: '4.6.protected-resource',
    section: '4.6',
    text: 'GET {api_host}/.well-known/oauth-protected-resource/mcp answers the protected resource metadata.',
  },
  {
    id: '4.6.authorization-server',
    section: '4.6',
    text: 'GET {auth_url}/.well-known/oauth-authorization-server answers the authorization server metadata.',
  },
  {
    id: '4.6.endpoints',
    section: '4.6',
    text: 'Registration, authorization and token endpoints work as described.',
  },
  { id: '5.1.https', section: '5.1', text: 'Every request must use HTTPS; requests over plain HTTP fail.' },
  { id: '5.1.authentication', section: '5.1', text: 'Requests without authentication fail.' },
  { id: '5.1.bearer', section: '5.1', text: 'The credential is sent in the header Authorization: Bearer <API_TOKEN>.' },
  {
    id: '5.1.console',
    section: '5.1',
    text: 'API tokens are created in the developer console.',
    deferred: console_,
  },
  {
    id: '5.1.organization-token',
    section: '5.1',
    text: 'The organization token gives access to all organization resources.',
  },
  { id: '5.1.token-scopes', section: '5.1', text: 'The creator of a token selects its scopes.' },
  {
    id: '5.1.token-sensitive-data',
    section: '5.1',
    text: 'The creator of a token configures which sensitive data it may access.',
  },
  {
    id: '5.1.shown-once',
    section: '5.1',
    text: 'The token value is displayed only once at creation and cannot be retrieved again.',
  },
  { id: '5.1.scopes', section: '5.1', text: 'A token carries scopes; each endpoint requires specific scopes.' },
  {
    id: '5.1.scope-names',
    section: '5.1',
    text: 'Scope names follow the patterns {resource}:read and {resource}:write.',
  },
  {
    id: '5.1.oauth',
    section: '5.1',
    text: 'OAuth2 is also accepted for the REST API.',
  },
  {
    id: '5.1.rotation',
    section: '5.1',
    text: 'Recommended practice: rotate tokens regularly and delete unused tokens, which the API makes possible.',
  },
  {
    id: '5.2.flow',
    section: '5.2',
    text: 'OAuth2 with discovery, dynamic client registration and PKCE for the tool server, steps 1 to 7.',
  },
  {
    id: '5.2.consent',
    section: '5.2',
    text: 'The user approves or denies on a consent screen.',
  },
  {
    id: '5.2.personal-token',
    section: '5.2',
    text: 'A personal access token is accepted at the tool server.',
  },
  {
    id: '5.2.scopes',
    section: '5.2',
    text: 'When a tool is invoked, the scopes of the underlying REST endpoint are checked.',
  },
  { id: '5.2.scope-names', section: '5.2', text: 'The seven scopes named for tool access exist under these names.' },
  { id: '5.3.header', section: '5.3', text: 'Every delivery carries header x-service-signature.' },
  {
    id: '5.3.value',
    section: '5.3',
    text: 'Its value is the lowercase hex HMAC-SHA256, keyed with the signing_key, of POST followed by the raw body.',
  },
  {
    id: '5.3.receivers',
    section: '5.3',
    text: 'Receivers must compare in constant time and use the raw body: the signature is over the exact bytes sent.',
  },
  {
    id: '5.3.receiver-401',
    section: '5.3',
    text: 'A receiver that finds the signature invalid should reject the request (401), which is a failure.',
  },
  { id: '5.3.label', section: '5.3', text: 'Header x-service-hmac-label identifies which signing key was used.' },
  {
    id: '6.1.named-types',
    section: '6.1',
    text: 'Named event types: contract.created, contract.signed, payment.completed.',
  },
  {
    id: '6.1.catalogue',
    section: '6.1',
    text: 'The complete list with descriptions is returned by GET /webhooks/events.',
  },
  {
    id: '6.1.subscribed-only',
    section: '6.1',
    text: 'A subscription receives only the event types in its events list.',
  },
  { id: '6.2.transport', section: '6.2', text: 'HTTP POST to the subscription url, JSON body (2.3).' },
  { id: '6.2.version', section: '6.2', text: 'Header x-service-webhook-version: version used for serialization.' },
  { id: '6.2.success', section: '6.2', text: 'Any 2xx response is success.' },
  {
    id: '6.2.failure',
    section: '6.2',
    text: 'Non-2xx, no answer within 30 seconds, a network error or an unreachable endpoint is failure.',
  },
  {
    id: '6.2.valid-certificate',
    section: '6.2',
    text: 'Receiver guidance: use HTTPS with a valid certificate.',
  },
  {
    id: '6.2.duplicates',
    section: '6.2',
    text: 'An event may be delivered more than once; every delivery of it has the same data.meta.event_id.',
  },
  {
    id: '6.2.reconcile',
    section: '6.2',
    text: 'Receivers should also reconcile through the REST API: what an event tells can be read there.',
  },
  {
    id: '6.3.schedule',
    section: '6.3',
    text: 'Retries after 1, 2, 4, 8, 16, 32 minutes, 1, 2, 4 and 16 hours; the outcome of a failure is as listed.',
  },
  {
    id: '6.3.disable',
    section: '6.3',
    text: 'After 10 consecutive failures the subscription is disabled and must be re-enabled manually.',
  },
  {
    id: '6.4.console',
    section: '6.4',
    text: 'A simulation is started from the developer console.',
    deferred: console_,
  },
  {
    id: '6.4.subscribed-type',
    section: '6.4',
    text: 'A simulation is of an event type that the subscription is subscribed to.',
  },
  {
    id: '6.4.payload',
    section: '6.4',
    text: 'The service sends a test payload to the subscription url with data.meta.is_simulation = true.',
  },
  {
    id: '6.4.same-rules',
    section: '6.4',
    text: 'Signature and retry logic of a simulation are the same as for real events.',
  },
  { id: '6.4.history', section: '6.4', text: 'The simulated event is recorded in the webhook delivery history.' },
  { id: '6.4.limit', section: '6.4', text: 'Simulations are rate limited to 10 per hour.' },
  {
    id: '6.4.no-records',
    section: '6.4',
    text: 'Receivers must not create real records from simulated events, which are told apart by is_simulation.',
  },
  {
    id: '7.tool-401',
    section: '7',
    text: 'A protected tool without a valid access token: 401 with WWW-Authenticate naming the resource metadata.',
  },
  {
    id: '7.invalid-token',
    section: '7',
    text: 'REST call with an invalid or expired token: failure, with the cause named.',
  },
  {
    id: '7.missing-header',
    section: '7',
    text: 'REST call without Authorization header: failure, with the cause named.',
  },
  {
    id: '7.insufficient-scopes',
    section: '7',
    text: 'REST call with a token lacking the required scopes: failure, with the cause named.',
  },
  { id: '7.plain-http', section: '7', text: 'REST call over plain HTTP: failure; requests must use HTTPS.' },
  { id: '7.permissions', section: '7', text: 'Token accesses resources outside its permissions: failure.' },
  { id: '7.receiver-non-2xx', section: '7', text: 'Receiver returns non-2xx to a webhook: retry per section 6.3.' },
  { id: '8.access-token', section: '8', text: 'Access token lifetime: 1 hour.' },
  {
    id: '8.refresh-token',
    section: '8',
    text: 'Refresh token lifetime: 30 days, single-use.',
  },
  { id: '8.client-name', section: '8', text: 'client_name: max 150 characters.' },
  { id: '8.redirect-uris', section: '8', text: 'redirect_uris: min 1 entry.' },
  { id: '8.receiver-time', section: '8', text: 'Webhook receiver response time: 30 seconds.' },
  { id: '8.attempts', section: '8', text: 'Webhook delivery attempts before disable: 10.' },
  { id: '8.simulations', section: '8', text: 'Webhook simulations: 10 per hour.' },
  { id: '9.base-address', section: '9', text: 'The REST base address carries the version segment /rest/v2.' },
  {
    id: '9.webhook-version',
    section: '9',
    text: 'Each delivery carries x-service-webhook-version, the API version used for serialization.',
  },
  {
    id: '9.mcp',
    section: '9',
    text: 'The tool server follows the MCP authorization specification; registration follows RFC 7591.',
  },
] as const satisfies readonly Requirement[]

export type RequirementId = (typeof requirements)[number]['id']
