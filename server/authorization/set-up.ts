import { recordAudit } from '#core/effects.ts'
import { defineProblem, notFound, validationFailed } from '#core/problems.ts'
import { Closed, CurrencyCode, Email, type Static, Text, TimeZone, Type } from '#core/schema/schema.ts'
import { currencies, newId } from '#core/values.ts'
import type { Database, Transaction } from '#db/database.ts'
import {
  anyAccount,
  auditAccount,
  findSetUpLink,
  grantMembership,
  insertUser,
  lockAccounts,
  lockUser,
  replacePassword,
  type SetUpLink,
  spendSetUpLink,
} from '#identity/account.store.ts'
import { removeFactors } from '#identity/factors/factors.store.ts'
import { faultOfPassword, hashPassword } from '#identity/password.ts'
import { deleteSessionsOfUser } from '#identity/session.store.ts'
import { insertOrganization } from '#resources/organizations/index.ts'
import type { FlowParts } from './clients/clients.ts'
import type { ConsoleAnswer, ConsoleEndpoint, ConsoleRequest } from './console-endpoint.ts'
import { afterPassword, originOf } from './second-step.ts'
import { beginSignedIn } from './sign-in.ts'

/** Carries the secret of the page's address: a header, because addresses end up in logs. */
const link_header = 'stint-set-up-link'

const SetUp = Closed({
  password: Type.String({ maxLength: 1_000 }),
  owner: Type.Optional(
    Closed({
      name: Text(1, 200),
      email: Email,
      organization: Closed({ name: Text(1, 200), timezone: TimeZone, default_currency: CurrencyCode }),
      with_sandbox: Type.Optional(Type.Boolean()),
    }),
  ),
})

const path = '/console/auth/set-up'

/** Endpoints of the page that a link of the operator opens. */
export const setUpEndpoints: readonly ConsoleEndpoint[] = [
  { operation: 'console.show_set_up', method: 'GET', path, handle: showSetUp },
  { operation: 'console.set_up', method: 'POST', path, input: SetUp, handle: setUp },
]

/** Tells the purpose of the link, before anything is typed. */
async function showSetUp(request: ConsoleRequest, { runtime }: FlowParts): Promise<ConsoleAnswer> {
  const { user_id, email, name } = await openLink(runtime.database, request)
  return { body: user_id === null ? { purpose: 'first_owner', currencies } : { purpose: 'password', email, name } }
}

/** Makes the first owner with the organization, or sets the password of the link's user; either signs in. */
async function setUp(request: ConsoleRequest, parts: FlowParts): Promise<ConsoleAnswer> {
  // The cast holds because the input was checked against `SetUp`.
  const { password, owner } = request.input as Static<typeof SetUp>
  const link = await openLink(parts.runtime.database, request)
  const fault = faultOfPassword(password)
  if (fault) throw refusal('/password', fault)
  const { user_id } = link
  if (user_id !== null) return choosePassword(request, parts, { ...link, user_id }, password)
  if (!owner) throw refusal('/owner', 'is required')
  return makeFirstOwner(request, parts, link, { ...owner, password })
}

/** The link that a request came with, as long as it can be used. */
async function openLink(database: Database, { headers }: ConsoleRequest): Promise<SetUpLink> {
  const secret = headers[link_header]
  if (typeof secret !== 'string') throw notFound()
  const { link, isTaken } = await database.transaction({ role: 'lookup', read_only: true }, async (tx) => {
    const found = await findSetUpLink(tx, secret)
    return { link: found, isTaken: found?.user_id === null && (await anyAccount(tx)) }
  })
  if (!link) throw linkRefused('unknown')
  if (link.is_used) throw linkRefused('used')
  if (isTaken) throw linkRefused('taken')
  if (link.is_expired) throw linkRefused('expired')
  return link
}

function refusal(pointer: string, message: string) {
  return validationFailed(undefined, { errors: [{ pointer, message }] })
}

/**
 * Sets the password of the link's user and ends every session of that user. A second factor stays and is asked for now, but
 * for a link of the operator that takes it off.
 */
async function choosePassword(
  request: ConsoleRequest,
  { runtime: { database, secrets } }: FlowParts,
  link: SetUpLink & { user_id: string },
  password: string,
): Promise<ConsoleAnswer> {
  const { user_id, resets_factors } = link
  const password_hash = await hashPassword(password)
  return database.transaction({ role: 'lookup' }, async (tx) => {
    const user = await lockUser(tx, user_id)
    if (!user || !(await spendSetUpLink(tx, link))) throw linkRefused('used')
    await replacePassword(tx, user_id, password_hash)
    await deleteSessionsOfUser(tx, user_id)
    await auditAccount(tx, { user, action: 'users.set_password', ...originOf(request) })
    if (resets_factors) {
      await removeFactors(tx, user_id)
      await auditAccount(tx, { user, action: 'users.remove_factors', ...originOf(request) })
    }
    return afterPassword(tx, secrets, request, { ...user, password_hash })
  })
}

type FirstOwner = NonNullable<Static<typeof SetUp>['owner']> & { password: string }

/** Organization and owner, only while nobody has an account: of any number of requests with the same link one succeeds. */
async function makeFirstOwner(
  request: ConsoleRequest,
  { runtime: { database, secrets } }: FlowParts,
  link: SetUpLink,
  { name, email, organization, password, with_sandbox = false }: FirstOwner,
): Promise<ConsoleAnswer> {
  const [id, organization_id] = [newId(Date.now()), newId(Date.now())]
  const password_hash = await hashPassword(password)
  const own = { id: organization_id, ...organization, country: null, is_sandbox: false }
  const cookie = await database.transaction({ role: 'operator', organization_id }, async (tx) => {
    await lockAccounts(tx)
    if (!(await spendSetUpLink(tx, link))) throw linkRefused('used')
    if (await anyAccount(tx)) throw linkRefused('taken')
    await insertUser(tx, { id, email, name, password_hash })
    await makeOwned(tx, own, { id, name }, request)
    return beginSignedIn(tx, secrets, request, { user_id: id, email })
  })
  if (!with_sandbox) return { status: 201, body: {}, cookie }
  const sandbox_id = newId(Date.now())
  const sandbox = { ...own, id: sandbox_id, name: `${organization.name.slice(0, 190)} Sandbox`, is_sandbox: true }
  await database.transaction({ role: 'operator', organization_id: sandbox_id }, (tx) =>
    makeOwned(tx, sandbox, { id, name }, request),
  )
  return { status: 201, body: { sandbox_id }, cookie }
}

/** An organization with its owner, in a transaction of its own: rows of two organizations never meet in one. */
async function makeOwned(
  tx: Transaction,
  organization: Parameters<typeof insertOrganization>[1],
  user: { id: string; name: string },
  request: ConsoleRequest,
): Promise<void> {
  const { id: organization_id } = organization
  await insertOrganization(tx, organization)
  await grantMembership(tx, organization_id, user.id, 'owner')
  const line = { organization_id, actor: { kind: 'user', ...user } as const, ...originOf(request) }
  const made = { kind: 'organizations', id: organization_id }
  recordAudit(tx, { ...line, action: 'organizations.create', subject: made })
  recordAudit(tx, { ...line, action: 'members.create', subject: { kind: 'members', id: user.id } })
}

const linkInvalid = defineProblem({
  code: 'set_up_link_invalid',
  status: 404,
  title: 'This link cannot be used',
  advice: 'Ask the operator for a new one: `npx stint admin create` or `npx stint admin reset`.',
})

/** The holder of a link's secret may know why it is over. */
const reasons = {
  unknown: 'This link is not known. A newer one may have replaced it.',
  used: 'This link was used.',
  taken: 'An account exists already, and the link for the first one is over.',
  expired: 'This link has expired.',
} as const

function linkRefused(reason: keyof typeof reasons) {
  return linkInvalid(reasons[reason], { members: { reason } })
}
