import assert from 'node:assert/strict'
import { test } from 'node:test'
import { grantMembership } from '#identity/account.store.ts'
import { cases, serviceOfCases } from '#test/cases.ts'
import { addUser, callConsole } from '#test/console-caller.ts'
import { addMember, type Body, createPerson, setPerson } from '#test/factories.ts'
import { noteSecret } from '#test/secrets.ts'
import { inOrganization, type TestService } from '#test/service.ts'

const email = 'jonas@harbour.example'
const password = noteSecret('seven quiet herons')
const day_ms = 86_400_000
const only_of_sessions = {
  unmet: { reauthentication_required: 'only a session of the console gets old: members.test.ts meets it' },
}

const secretOf = (url: string) => noteSecret(url.slice(url.indexOf('#') + 1))

async function invited(t: TestService, body: object = {}, by?: string): Promise<Body> {
  const token = by ?? (await addMember(t, 'owner')).token
  const made = await t.call('POST', '/members/invitations', { token, body: { email, role: 'viewer', ...body } })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return { ...made.body, member_invitation_id: made.body.id, secret: secretOf(made.body.url), owner: token }
}

const show = async (t: TestService, secret: string) =>
  (await callConsole(t, 'GET', '/invitations', { headers: { 'stint-invitation': secret } })).body

/** Why a link opens nothing, as its holder is told. */
const reasonOf = async (t: TestService, secret: string) => (await show(t, secret)).reason

/** Opens a link: with a new login, or as who is signed in. */
const accept = (t: TestService, secret: string, { cookie = '' } = {}) =>
  callConsole(t, 'POST', '/invitations', {
    headers: { 'stint-invitation': secret },
    body: cookie ? {} : { name: 'Jonas', password },
    cookie,
  })

cases(
  'member_invitations.create',
  {
    'an invitation has its link, for seven days': {
      as: 'admin',
      input: { email, role: 'developer' },
      body: {
        email,
        role: 'developer',
        invited_by: { kind: 'user', name: 'admin' },
        expires_at: '2026-06-22T09:00:00.000Z',
      },
      audit: { subject_kind: 'member_invitations' },
      async afterwards(t, { body: { url } }) {
        assert.match(url, /^https:\/\/stint\.test\/console\/invite#[\w-]{43}$/)
        const shown = await show(t, secretOf(url))
        const told = { kind: 'member', email, role: 'developer', inviter: 'admin', name: null, has_login: false }
        assert.partialDeepStrictEqual(shown, told)
      },
    },
    'an admin invites nobody as owner': {
      as: 'admin',
      input: { email, role: 'owner' },
      answers: '403 insufficient_scope',
    },
    'nobody is invited whose access was taken away': {
      as: 'owner',
      async given(t) {
        const { person_id } = await createPerson(t, { email })
        await setPerson(t, person_id, { access: 'disabled' })
        return {}
      },
      input: { email, role: 'viewer' },
      answers: '409 invalid_state',
    },
    'an address has one open invitation': {
      as: 'owner',
      given: (t) => invited(t),
      input: { email: 'Jonas@harbour.example', role: 'viewer' },
      answers: '409 email_in_use',
      errors: ['/email'],
    },
    'a member is not invited again': {
      as: 'owner',
      given: (t) => addMember(t, 'viewer'),
      input: ({ member_id }) => ({ email: `${member_id}@HARBOUR.example`, role: 'viewer' }),
      answers: '409 email_in_use',
      errors: ['/email'],
    },
  },
  only_of_sessions,
)

cases('member_invitations.list', {
  'open invitations are listed, without their links': {
    as: 'viewer',
    async given(t) {
      const gone = await invited(t, { email: 'gone@harbour.example' })
      await t.call('POST', `/members/invitations/${gone.id}/revoke`, { token: gone.owner })
      const used = await invited(t, { email: 'used@harbour.example' })
      assert.equal((await accept(t, used.secret)).status, 201)
      return invited(t)
    },
    body: ({ id }) => ({ data: [{ id, email }], total_count: 1 }),
    afterwards: async (_, { given, body }) => assert.ok(!JSON.stringify(body).includes(given.secret)),
  },
})

cases(
  'member_invitations.resend',
  {
    'the new link serves, the old one does not': {
      as: 'owner',
      async given(t) {
        const made = await invited(t)
        await t.clock.advance(8 * day_ms)
        assert.equal(await reasonOf(t, made.secret), 'expired')
        assert.equal((await accept(t, made.secret)).status, 404)
        return made
      },
      body: { email, expires_at: '2026-06-30T09:00:00.000Z' },
      async afterwards(t, { given, body }) {
        assert.match(await reasonOf(t, given.secret), /replaced|expired/)
        assert.equal((await show(t, secretOf(body.url))).email, email)
      },
    },
    'an admin hands out no invitation that an owner made for finance': {
      as: 'admin',
      given: (t) => invited(t, { role: 'finance' }),
      answers: '403 insufficient_scope',
    },
  },
  only_of_sessions,
)

cases('member_invitations.revoke', {
  'its link opens nothing, and the address is free': {
    as: 'owner',
    given: (t) => invited(t),
    audit: { subject_kind: 'member_invitations' },
    async afterwards(t, { given }) {
      assert.equal(await reasonOf(t, given.secret), 'revoked')
      assert.equal((await accept(t, given.secret)).status, 404)
      await invited(t)
    },
  },
})

const organizationOf = async (): Promise<TestService> => {
  const service = await serviceOfCases()
  return inOrganization(service, await service.createOrganization())
}

test('a link makes one member and one login, however often it is opened at once', async () => {
  const t = await organizationOf()
  const made = await invited(t, { role: 'developer', email: 'once@harbour.example' })
  const answers = await Promise.all([accept(t, made.secret), accept(t, made.secret)])
  // The second finds the link used, or the login that is made already.
  assert.equal(answers.filter(({ status }) => status === 201).length, 1)
  assert.equal(await reasonOf(t, made.secret), 'used')
  const { body } = await t.call('GET', '/members', { token: made.owner, query: { roles: 'developer' } })
  assert.partialDeepStrictEqual(body.data, [{ name: 'Jonas', email: 'once@harbour.example', status: 'active' }])
  const cookie = answers.find(({ status }) => status === 201)?.cookie ?? ''
  const { session } = (await callConsole(t, 'GET', '/session', { cookie })).body
  assert.deepEqual(
    session.memberships.map(({ organization_id, role }: Body) => [organization_id, role]),
    [[t.organization.id, 'developer']],
  )
  const audited = await t.call('GET', '/audit-entries', { query: { action: 'invitations.accept' } })
  assert.partialDeepStrictEqual(audited.body.data, [{ actor: { name: 'Jonas' }, subject: { kind: 'members' } }])
})

test('who has a login joins with it, once signed in, and nobody else by the same link', async () => {
  const t = await organizationOf()
  const address = 'known@harbour.example'
  const member_id = await addUser(t, { email: address, password })
  await addUser(t, { email: 'else@harbour.example', password })
  const made = await invited(t, { role: 'finance', email: address })
  assert.equal((await show(t, made.secret)).has_login, true)
  assert.equal((await accept(t, made.secret)).body.code, 'unauthenticated')
  const signIn = async (login: string) =>
    (await callConsole(t, 'POST', '/session', { body: { email: login, password } })).cookie ?? ''
  const foreign = await accept(t, made.secret, { cookie: await signIn('else@harbour.example') })
  assert.equal(foreign.body.code, 'invitation_for_another')
  assert.equal((await accept(t, made.secret, { cookie: await signIn(address) })).status, 201)
  const { body } = await t.call('GET', `/members/${member_id}`, { token: made.owner })
  assert.deepEqual([body.role, body.status], ['finance', 'active'])
})

test('a disabled member comes back by nobody’s old link', async () => {
  const t = await organizationOf()
  const { member_id } = await addMember(t, 'viewer')
  const address = `${member_id}@harbour.example`
  const owner = (await addMember(t, 'owner')).token
  await t.call('DELETE', `/members/${member_id}`, { token: owner })
  const made = await invited(t, { email: address }, owner)
  await t.database.database.transaction({ role: 'owner', organization_id: t.organization.id }, (tx) =>
    grantMembership(tx, t.organization.id, member_id, 'viewer'),
  )
  const { status } = await t.call('PATCH', `/members/${member_id}`, { token: owner, body: { status: 'disabled' } })
  assert.equal(status, 200)
  assert.equal(await reasonOf(t, made.secret), 'blocked')
  assert.equal((await accept(t, made.secret)).status, 404)
})

test('in a sandbox whose clock has moved the link still lives its seven days of real time', async () => {
  const service = await serviceOfCases()
  const t = inOrganization(service, await service.createOrganization({ is_sandbox: true }))
  await t.call('POST', '/sandbox/clock/advance', { body: { by: 'P1M' } })
  const made = await invited(t, { email: 'sandbox@harbour.example' })
  assert.equal((await accept(t, made.secret)).status, 201)
})

test('who loses a role takes along the open invitations that went with it', async () => {
  const t = await organizationOf()
  const owner = (await addMember(t, 'owner')).token
  const other = await addMember(t, 'owner')
  const made = await invited(t, { role: 'finance' }, other.token)
  const kept = await invited(t, { role: 'viewer', email: 'kept@harbour.example' }, other.token)
  const path = `/members/${other.member_id}`
  assert.equal((await t.call('PATCH', path, { token: owner, body: { role: 'admin' } })).status, 200)
  assert.deepEqual([await reasonOf(t, made.secret), await reasonOf(t, kept.secret)], ['revoked', undefined])
  assert.equal((await t.call('DELETE', path, { token: owner })).status, 204)
  assert.equal(await reasonOf(t, kept.secret), 'revoked')
})
