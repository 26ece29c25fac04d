import { defineProblem, notFound, validationFailed } from '#core/problems.ts'
import { Closed, CurrencyCode, Email, type Static, Text, TimeZone, Type } from '#core/schema/schema.ts'
import { currencies, newId } from '#core/values.ts'
import type { Database } from '#db/database.ts'
import { grantMembership, insertUser, replacePassword } from '#identity/account.store.ts'
import { faultOfPassword, hashPassword } from '#identity/password.ts'
import { deleteSessionsOfUser } from '#identity/session.store.ts'
import { anyAccount, findSetUpLink, lockAccounts, type SetUpLink, spendSetUpLink } from '#identity/set-up-link.store.ts'
import { insertOrganization } from '#resources/organizations/index.ts'
import type { ConsoleEndpoint, ConsoleParts, ConsoleRequest } from './console-endpoint.ts'
import { auditByUser, beginSignedIn } from './sign-in.ts'

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

/** Tells the purpose of the link, before anything is typed. */
function showSetUp({ database }: ConsoleParts): ConsoleEndpoint {
  return {
    operation: 'console.show_set_up',
    method: 'GET',
    path: '/console/auth/set-up',
    async handle(request) {
      const { user_id, email, name } = await openLink(database, request)
      return { body: user_id === null ? { purpose: 'first_owner', currencies } : { purpose: 'password', email, name } }
    },
  }
}

/** Makes the first owner with the organization, or sets the password of the link's user; either signs in. */
function setUp(parts: ConsoleParts): ConsoleEndpoint {
  return {
    operation: 'console.set_up',
    method: 'POST',
    path: '/console/auth/set-up',
    input: SetUp,
    async handle(request) {
      // The cast holds because the input was checked against `SetUp`.
      const { password, owner } = request.input as Static<typeof SetUp>
      const link = await openLink(parts.database, request)
      const fault = faultOfPassword(password)
      if (fault) throw refusal('/password', fault)
      if (link.user_id !== null) {
        return signedIn(await choosePassword(parts, { link, password_hash: await hashPassword(password), request }))
      }
      if (!owner) throw refusal('/owner', 'is required')
      const password_hash = await hashPassword(password)
      return signedIn(await createFirstOwner(parts, { link, owner, password_hash, request }))
    },
  }
}

const signedIn = (cookie: readonly string[]) => ({ status: 201, body: {}, cookie }) as const

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

interface Choice {
  link: SetUpLink
  password_hash: string
  request: ConsoleRequest
}

/** Sets the password of the link's user, ends every session that user has and begins one. Answers what `beginSignedIn` does. */
function choosePassword(
  { database, secrets }: ConsoleParts,
  { link, password_hash, request }: Choice,
): Promise<readonly string[]> {
  const { user_id, name, email, organization_id } = link
  if (user_id === null || name === null || email === null) throw new Error('this link is for no user')
  const audited = organization_id === null ? {} : { organization_id }
  return database.transaction({ role: 'operator', ...audited }, async (tx) => {
    if (!(await spendSetUpLink(tx, link)) || !(await replacePassword(tx, user_id, password_hash))) {
      throw linkRefused('used')
    }
    await deleteSessionsOfUser(tx, user_id)
    if (organization_id !== null) {
      const user = { organization_id, user_id, name }
      await auditByUser(tx, user, request, { action: 'users.set_password', id: user_id })
    }
    return beginSignedIn(tx, secrets, request, { user_id, email })
  })
}

interface FirstOwner {
  link: SetUpLink
  owner: {
    name: string
    email: string
    organization: { name: string; timezone: string; default_currency: string }
  }
  password_hash: string
  request: ConsoleRequest
}

/**
 * Organization, owner and session in one transaction, under a lock and only while nobody has an account: of any number of
 * requests with the same link one succeeds. Answers what `beginSignedIn` does.
 */
function createFirstOwner(
  { database, secrets }: ConsoleParts,
  { link, owner: { name, email, organization }, password_hash, request }: FirstOwner,
): Promise<readonly string[]> {
  const [organization_id, user_id] = [newId(Date.now()), newId(Date.now())]
  return database.transaction({ role: 'operator', organization_id }, async (tx) => {
    await lockAccounts(tx)
    if (!(await spendSetUpLink(tx, link))) throw linkRefused('used')
    if (await anyAccount(tx)) throw linkRefused('taken')
    await insertOrganization(tx, { id: organization_id, ...organization, country: null, is_sandbox: false })
    await insertUser(tx, { id: user_id, email, name, password_hash })
    await grantMembership(tx, organization_id, user_id, 'owner')
    const user = { organization_id, user_id, name }
    await auditByUser(tx, user, request, { action: 'organizations.create', id: organization_id })
    await auditByUser(tx, user, request, { action: 'members.create', id: user_id })
    return beginSignedIn(tx, secrets, request, { user_id, email })
  })
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

export const setUpEndpoints = (parts: ConsoleParts) => [showSetUp(parts), setUp(parts)]
