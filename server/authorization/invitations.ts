import { collectEffects, recordChange } from '#core/effects.ts'
import { defineProblem, invalidState, notFound, unauthenticated, validationFailed } from '#core/problems.ts'
import { keepBusinessTime } from '#core/sandbox-clock.ts'
import { Closed, type Static, Text, Type } from '#core/schema/schema.ts'
import type { Transaction } from '#db/database.ts'
import { violatedConstraint } from '#db/errors.ts'
import { findUser } from '#identity/account.store.ts'
import {
  findInvitation,
  type InvitationEnd,
  type InvitationRow,
  makeInvitedLogin,
  noteInvited,
  spendInvitation,
} from '#identity/invitation.store.ts'
import type { InvitationKind, InvitationOffer } from '#identity/invitation.ts'
import { faultOfPassword, hashPassword } from '#identity/password.ts'
import { workerInvitation } from '#resources/contracts/index.ts'
import { memberLogin } from '#resources/members/index.ts'
import type { FlowParts } from './clients/clients.ts'
import type { ConsoleAnswer, ConsoleEndpoint, ConsoleRequest } from './console-endpoint.ts'
import { beginSignedIn } from './sign-in.ts'

/** The kinds of invitation that there are. */
const kinds: readonly InvitationKind[] = [workerInvitation, memberLogin]

/** Carries the secret of the page's address: a header, because addresses end up in logs. */
const link_header = 'stint-invitation'

const Acceptance = Closed({
  /** For a login that is made; whoever has one signs in first, and sends none. */
  password: Type.Optional(Type.String({ maxLength: 1_000 })),
  name: Type.Optional(Text(1, 200)),
})

const path = '/console/auth/invitations'

/** Endpoints of the page that the link of an invitation opens. */
export const invitationEndpoints: readonly ConsoleEndpoint[] = [
  { operation: 'console.show_invitation', method: 'GET', path, handle: showInvitation },
  { operation: 'console.accept_invitation', method: 'POST', path, input: Acceptance, handle: acceptInvitation },
]

/** Tells what the link is for, whether it asks for a new login or for signing in, and which one. */
async function showInvitation(request: ConsoleRequest, parts: FlowParts): Promise<ConsoleAnswer> {
  const { row, offer, login } = await openInvitation(request, parts)
  const { kind, organization_name, is_sandbox, email, expires_at } = row
  return {
    body: {
      ...{ kind, organization_name, is_sandbox, expires_at, name: offer.name, ...offer.shown },
      // Of a login that there is, its own address: it may have got another invitation by another one.
      ...{ email: login?.email ?? email, has_login: login !== null },
    },
  }
}

/** Turns a link into what it is for, once: by a new login, or by the one that its address or person has. */
async function acceptInvitation(request: ConsoleRequest, parts: FlowParts): Promise<ConsoleAnswer> {
  const { runtime } = parts
  // The cast holds because the input was checked against `Acceptance`.
  const { password, name } = request.input as Static<typeof Acceptance>
  const open = await openInvitation(request, parts)
  const to = open.of.home(open.row)
  const acting = open.login
    ? { ...(await signedInAs(open.login, request)), password_hash: null }
    : await newLogin({ password, name: open.offer.name ?? name })
  await runtime.database
    .transaction({ role: 'app', organization_id: open.row.organization_id }, (tx) =>
      take(tx, { ...open, acting, request }, parts),
    )
    .catch(refuseSecondPerson)
  if (acting.password_hash === null) return { status: 201, body: { to } }
  const user = { user_id: acting.id, email: open.row.email }
  const cookie = await runtime.database.transaction({ role: 'lookup' }, (tx) =>
    beginSignedIn(tx, runtime.secrets, request, user),
  )
  return { status: 201, body: { to }, cookie }
}

interface Open {
  row: InvitationRow
  of: InvitationKind
  offer: InvitationOffer
  /** The login that alone can use it, where there is one already. */
  login: { id: string; email: string } | null
}

/** The invitation of the link that a request came with, as long as it can be used. */
async function openInvitation({ headers }: ConsoleRequest, { runtime }: FlowParts): Promise<Open> {
  const { database } = runtime
  const secret = headers[link_header]
  if (typeof secret !== 'string') throw notFound()
  const row = await database.transaction({ role: 'lookup', read_only: true }, (tx) => findInvitation(tx, secret))
  if (!row) throw invitationRefused('unknown')
  if (row.outcome) throw invitationRefused(row.outcome)
  const of = kinds.find(({ kind }) => kind === row.kind)
  if (!of) throw new Error(`nobody accepts invitations of ${row.kind}`)
  const { organization_id } = row
  const offer = await database.transaction({ role: 'app', organization_id, read_only: true }, async (tx) => {
    await keepBusinessTime(tx, row, { is_real: of.on_real_time })
    if (row.expires_at <= tx.now) throw invitationRefused('expired')
    return of.offer(tx, row)
  })
  if (offer.is_blocked) throw invitationRefused('blocked')
  const id = offer.user_id ?? row.known_user_id
  const login = id
    ? await database.transaction({ role: 'lookup', read_only: true }, (tx) => findUser(tx, id))
    : undefined
  return { row, of, offer, login: login ?? null }
}

/** Only the login itself takes up its invitation, whoever else is signed in to this browser. */
async function signedInAs(login: { id: string; email: string }, request: ConsoleRequest) {
  const session = await request.session()
  if (!session) throw unauthenticated(`Sign in as ${login.email}, then open the link again.`)
  if (session.user_id !== login.id) {
    throw invitationForAnother(`You are signed in as ${session.email}; the invitation is for ${login.email}.`)
  }
  return { id: login.id, name: session.name }
}

interface Acting {
  id: string
  name: string
  /** Of a login that is made. */
  password_hash: string | null
}

async function newLogin({ password, name }: { password: string | undefined; name: string | undefined }) {
  const missing = [password === undefined && '/password', name === undefined && '/name'].filter((one) => one !== false)
  if (password === undefined || name === undefined) {
    throw validationFailed(undefined, { errors: missing.map((pointer) => ({ pointer, message: 'is required' })) })
  }
  const fault = faultOfPassword(password)
  if (fault) throw validationFailed(undefined, { errors: [{ pointer: '/password', message: fault }] })
  return { id: crypto.randomUUID(), name, password_hash: await hashPassword(password) }
}

/** All or nothing: the link is used up, the login is made, and has what it was invited to. */
async function take(
  tx: Transaction,
  { row, of, acting, request }: Open & { acting: Acting; request: ConsoleRequest },
  { runtime }: FlowParts,
): Promise<void> {
  const { organization_id } = row
  await keepBusinessTime(tx, row, { strength: 'for share', is_real: of.on_real_time })
  await of.lock(tx, row)
  const outcome = await spendInvitation(tx, row)
  if (outcome !== null) throw invitationRefused(outcome)
  const { id, name, password_hash } = acting
  if (password_hash !== null && !(await makeInvitedLogin(tx, row, { id, name, password_hash }))) {
    throw invalidState('Somebody has made a login with this address meanwhile. Open the link again and sign in.')
  }
  await noteInvited(tx, row, id)
  const { effects, base } = collectEffects(runtime, tx)
  const { actor, subject, changed_fields } = await of.accept(row, { id, name }, { ...base, now: tx.now })
  const { request_id, address } = request
  await recordChange(runtime, tx, effects.events, {
    ...{ organization_id, actor, action: 'invitations.accept', subject, changed_fields, request_id, address },
    surface: 'console',
  })
}

/** Two people of one organization cannot have one login, and the index decides. */
function refuseSecondPerson(error: unknown): never {
  if (violatedConstraint(error) !== 'people_user') throw error
  throw invalidState('Your login belongs to another person of this organization already. Ask whoever invited you.')
}

const invitationForAnother = defineProblem({
  code: 'invitation_for_another',
  status: 403,
  title: 'The invitation is for somebody else',
  advice: 'Sign out, sign in with the login that the invitation is for, and open the link again.',
})

const invitationInvalid = defineProblem({
  code: 'invitation_invalid',
  status: 404,
  title: 'This invitation cannot be used',
  advice: 'Ask whoever invited you for a new link.',
})

/** The holder of a link's secret may know why it is over. */
const reasons: Record<InvitationEnd | 'unknown' | 'blocked', string> = {
  unknown: 'This link is not known.',
  used: 'This link was used.',
  replaced: 'A newer invitation has taken the place of this one.',
  revoked: 'This invitation was taken back.',
  expired: 'This invitation has expired.',
  over: 'What you were invited to is over.',
  blocked: 'Your access was taken away.',
}

function invitationRefused(reason: keyof typeof reasons) {
  return invitationInvalid(reasons[reason], { members: { reason } })
}
