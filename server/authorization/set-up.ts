import { recordAudit } from '#core/effects.ts'
import { defineProblem, notFound, validationFailed } from '#core/problems.ts'
import { Closed, CurrencyCode, Email, type Static, Text, TimeZone, Type } from '#core/schema/schema.ts'
import { currencies, newId } from '#core/values.ts'
import type { Database, Transaction } from '#db/database.ts'
import {
  anyAccount,
  findSetUpLink,
  grantMembership,
  insertUser,
  lockAccounts,
  replacePassword,
  type SetUpLink,
  spendSetUpLink,
} from '#identity/account.store.ts'
import { faultOfPassword, hashPassword } from '#identity/password.ts'
import { deleteSessionsOfUser } from '#identity/session.store.ts'
import { insertOrganization } from '#resources/organizations/index.ts'
import type { FlowParts } from './clients/clients.ts'
import type { ConsoleAnswer, ConsoleEndpoint, ConsoleRequest } from './console-endpoint.ts'
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
async function setUp(request: ConsoleRequest, { runtime }: FlowParts): Promise<ConsoleAnswer> {
  const { database, secrets } = runtime
  // The cast holds because the input was checked against `SetUp`.
  const { password, owner } = request.input as Static<typeof SetUp>
  const link = await openLink(database, request)
  const fault = faultOfPassword(password)
  if (fault) throw refusal('/password', fault)
  const user = { ...userOf(link, owner), password_hash: await hashPassword(password) }
  const { id: user_id, email, name, organization_id } = user
  const tenant = organization_id !== null && { organization_id }
  const cookie = await database.transaction({ role: 'operator', ...tenant }, async (tx) => {
    const isFirst = link.user_id === null
    if (isFirst) await lockAccounts(tx)
    if (!(await spendSetUpLink(tx, link))) throw linkRefused('used')
    const changes = isFirst ? await createFirstOwner(tx, user) : await choosePassword(tx, user)
    for (const [action, id] of changes) {
      // Somebody who is in no organization has no audit log either.
      if (organization_id === null) continue
      recordAudit(tx, {
        organization_id,
        actor: { kind: 'user', id: user_id, name },
        action,
        subject: { kind: action.replace(/\..*/, ''), id },
        request_id: request.request_id,
        address: request.address,
      })
    }
    return beginSignedIn(tx, secrets, request, { user_id, email })
  })
  return { status: 201, body: {}, cookie }
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

/** The user of the link, or the first owner with the organization that is made. */
function userOf({ user_id, organization_id, email, name }: SetUpLink, owner: Static<typeof SetUp>['owner']) {
  const known = { organization_id, email: email ?? '', name: name ?? '', organization: null }
  if (user_id !== null) return { id: user_id, ...known }
  if (!owner) throw refusal('/owner', 'is required')
  return { ...owner, id: newId(Date.now()), organization_id: newId(Date.now()) }
}

type User = ReturnType<typeof userOf> & { password_hash: string }
type Changes = [action: string, id: string][]

/** Sets the password of the link's user and ends every session that user has. */
async function choosePassword(tx: Transaction, { id, password_hash }: User): Promise<Changes> {
  if (!(await replacePassword(tx, id, password_hash))) throw linkRefused('used')
  await deleteSessionsOfUser(tx, id)
  return [['users.set_password', id]]
}

/** Organization and owner, only while nobody has an account: of any number of requests with the same link one succeeds. */
async function createFirstOwner(tx: Transaction, user: User): Promise<Changes> {
  const { id, organization_id, organization, name, email, password_hash } = user
  if (organization_id === null || organization === null) throw new Error('the first owner has an organization')
  if (await anyAccount(tx)) throw linkRefused('taken')
  await insertOrganization(tx, { id: organization_id, ...organization, country: null, is_sandbox: false })
  await insertUser(tx, { id, email, name, password_hash })
  await grantMembership(tx, organization_id, id, 'owner')
  return [
    ['organizations.create', organization_id],
    ['members.create', id],
  ]
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
