import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '#core/values.ts'
import { insertUser } from '#identity/account.store.ts'
import { cases, serviceOfCases } from '#test/cases.ts'
import { addMember, type Body } from '#test/factories.ts'
import { noteSecret } from '#test/secrets.ts'
import { inOrganization, type TestService } from '#test/service.ts'
import { acceptMemberInvitation, findMemberInvitation } from './index.ts'

const email = 'jonas@harbour.example'
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

const find = (t: TestService, secret: string) =>
  t.database.database.transaction({ role: 'lookup', read_only: true }, (tx) => findMemberInvitation(tx, secret))

/** Opens a link with a new account; answers the account, or null where the link opens nothing. */
async function accept(t: TestService, { id, secret }: Body): Promise<string | null> {
  const user_id = newId(t.clock.now())
  const { id: organization_id } = t.organization
  return t.database.database.transaction({ role: 'operator', organization_id }, async (tx) => {
    await insertUser(tx, { id: user_id, email: `${user_id}@harbour.example`, name: 'Jonas', password_hash: null })
    return (await acceptMemberInvitation(tx, { organization_id, id }, { secret, user_id })) ? user_id : null
  })
}

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
        const found = await find(t, secretOf(url))
        assert.partialDeepStrictEqual(found, { email, role: 'developer', inviter: 'admin', state: 'open' })
      },
    },
    'an admin invites nobody as owner': {
      as: 'admin',
      input: { email, role: 'owner' },
      answers: '403 insufficient_scope',
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
      assert.ok(await accept(t, used))
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
        assert.equal((await find(t, made.secret))?.state, 'expired')
        assert.equal(await accept(t, made), null)
        return made
      },
      body: { email, expires_at: '2026-06-30T09:00:00.000Z' },
      async afterwards(t, { given, body }) {
        assert.equal(await find(t, given.secret), undefined)
        assert.ok(await accept(t, { ...given, secret: secretOf(body.url) }))
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
      assert.equal((await find(t, given.secret))?.state, 'revoked')
      assert.equal(await accept(t, given), null)
      await invited(t)
    },
  },
})

const organizationOf = async (): Promise<TestService> => {
  const service = await serviceOfCases()
  return inOrganization(service, await service.createOrganization())
}

test('a link makes one member, however often it is opened at once', async () => {
  const t = await organizationOf()
  const made = await invited(t, { role: 'developer' })
  const [one, two] = await Promise.all([accept(t, made), accept(t, made)])
  const [member_id, ...others] = [one, two].filter((id) => id !== null)
  assert.deepEqual(others, [])
  assert.equal((await find(t, made.secret))?.state, 'accepted')
  const { body } = await t.call('GET', `/members/${member_id}`, { token: made.owner })
  assert.deepEqual([body.role, body.status, body.name], ['developer', 'active', 'Jonas'])
})

test('a disabled member comes back by nobody’s old link', async () => {
  const t = await organizationOf()
  const made = await invited(t)
  const { member_id } = await addMember(t, 'viewer')
  await t.call('PATCH', `/members/${member_id}`, { token: made.owner, body: { status: 'disabled' } })
  const { id: organization_id } = t.organization
  const is_member = await t.database.database.transaction({ role: 'operator', organization_id }, (tx) =>
    acceptMemberInvitation(tx, { organization_id, id: made.id }, { secret: made.secret, user_id: member_id }),
  )
  assert.equal(is_member, false)
  const { body } = await t.call('GET', `/members/${member_id}`, { token: made.owner })
  assert.equal(body.status, 'disabled')
})

test('who loses a role takes along the open invitations that went with it', async () => {
  const t = await organizationOf()
  const owner = (await addMember(t, 'owner')).token
  const other = await addMember(t, 'owner')
  const made = await invited(t, { role: 'finance' }, other.token)
  const kept = await invited(t, { role: 'viewer', email: 'kept@harbour.example' }, other.token)
  const path = `/members/${other.member_id}`
  assert.equal((await t.call('PATCH', path, { token: owner, body: { role: 'admin' } })).status, 200)
  assert.deepEqual(await Promise.all([made, kept].map(async ({ secret }) => (await find(t, secret))?.state)), [
    'revoked',
    'open',
  ])
  assert.equal((await t.call('DELETE', path, { token: owner })).status, 204)
  assert.equal((await find(t, kept.secret))?.state, 'revoked')
})
