import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Role } from '#core/caller.ts'
import { newId } from '#core/values.ts'
import { sql } from '#db/database.ts'
import { grantMembership } from '#identity/account.store.ts'
import { type Case, cases, serviceOfCases } from '#test/cases.ts'
import { addUser, callConsole, pageHeaders } from '#test/console-caller.ts'
import { addMember, type Body, createPerson, setPerson } from '#test/factories.ts'
import { noteSecret } from '#test/secrets.ts'
import { inOrganization, type TestService } from '#test/service.ts'
import { isOwner, type MemberRow, mayGive, refuseChange } from './member.ts'

const roles: readonly Role[] = ['owner', 'admin', 'developer', 'finance', 'viewer']
const with_role = (role: Role) => (t: TestService) => addMember(t, role)
/** The only owner, who acts on the own membership. */
const alone = { given: with_role('owner'), as: ({ token }: Body) => token } satisfies Case
const only_of_sessions = {
  unmet: { reauthentication_required: 'only a session of the console gets old: a test below meets it' },
}
/** The access of a person of the member's address is closed. */
async function closedWithPerson(t: TestService, made: Body) {
  const { person_id } = await createPerson(t, { email: `${made.member_id}@harbour.example` })
  await setPerson(t, person_id, { access: 'disabled' })
  return made
}
const works = async (t: TestService, token: string) => (await t.call('GET', '/organizations', { token })).status === 200

cases('members.list', {
  'everybody sees who is there, by role and status': {
    as: 'viewer',
    given: with_role('finance'),
    input: { roles: ['finance'], statuses: ['active'] },
    body: ({ member_id: id }) => ({
      data: [
        {
          id,
          name: 'finance',
          email: `${id}@harbour.example`,
          role: 'finance',
          status: 'active',
          has_second_factor: false,
        },
      ],
      total_count: 1,
    }),
  },
})

cases('members.get', {
  'a member is shown': {
    as: 'viewer',
    given: with_role('finance'),
    body: ({ member_id: id }) => ({ id, role: 'finance', status: 'active' }),
  },
})

cases(
  'members.update',
  {
    'a role changes, and the audit log has it': {
      as: 'admin',
      given: with_role('viewer'),
      input: { role: 'developer' },
      body: { role: 'developer' },
      audit: ({ member_id: subject_id }) => ({ subject_kind: 'members', subject_id, changed_fields: ['role'] }),
    },
    'the same role changes nothing': {
      as: 'admin',
      given: with_role('viewer'),
      input: { role: 'viewer' },
      audit: null,
    },
    'an admin makes nobody owner': {
      as: 'admin',
      given: with_role('viewer'),
      input: { role: 'owner' },
      answers: '403 insufficient_scope',
    },
    'an admin lowers no owner': {
      as: 'admin',
      given: with_role('owner'),
      input: { role: 'viewer' },
      answers: '403 insufficient_scope',
    },
    'an owner makes another one, who may lower the first': {
      as: 'owner',
      given: with_role('viewer'),
      input: { role: 'owner' },
      body: { role: 'owner' },
    },
    'the last owner keeps the role': { ...alone, input: { role: 'admin' }, answers: '409 last_owner' },
    'a member who was closed with its person is not enabled by hand': {
      as: 'admin',
      given: async (t) => closedWithPerson(t, await addMember(t, 'viewer')),
      input: { status: 'active' },
      answers: '409 invalid_state',
    },
    'the last owner is not disabled': { ...alone, input: { status: 'disabled' }, answers: '409 last_owner' },
    'disabled, a member has no token and no app any more': {
      as: 'admin',
      async given(t) {
        const made = await addMember(t, 'developer')
        const input = { name: 'Own', type: 'personal', scopes: ['contracts:read'] }
        const { body } = await t.call('POST', '/api-tokens', { token: made.token, body: input })
        return { ...made, child: noteSecret(body.token) }
      },
      input: { status: 'disabled' },
      body: { status: 'disabled', role: 'developer' },
      emits: ['api-token.revoked', 'api-token.revoked'],
      async afterwards(t, { given: { member_id, token, child } }) {
        const owner = (await addMember(t, 'owner')).token
        const enabled = await t.call('PATCH', `/members/${member_id}`, { token: owner, body: { status: 'active' } })
        assert.equal(enabled.status, 200)
        assert.deepEqual([await works(t, token), await works(t, child)], [false, false])
      },
    },
    'an app that acts for the member ends with it': {
      as: 'owner',
      async given(t) {
        const made = await addMember(t, 'viewer')
        await giveGrant(t, made.member_id)
        await t.takeEvents()
        return made
      },
      input: { status: 'disabled' },
      emits: ['api-token.revoked', 'oauth-grant.revoked'],
    },
  },
  only_of_sessions,
)

cases(
  'members.delete',
  {
    'a member goes, with the tokens': {
      as: 'admin',
      given: with_role('developer'),
      emits: ['api-token.revoked'],
      audit: ({ member_id: subject_id }) => ({ subject_kind: 'members', subject_id }),
      async afterwards(t, { given: { member_id, token } }) {
        assert.equal(await works(t, token), false)
        const { status } = await t.call('GET', `/members/${member_id}`, { token: (await addMember(t, 'viewer')).token })
        assert.equal(status, 404)
      },
    },
    'the last owner stays': { ...alone, answers: '409 last_owner' },
    'an owner who is not the last may go': {
      ...alone,
      given: async (t) => {
        await addMember(t, 'owner')
        return addMember(t, 'owner')
      },
      emits: ['api-token.revoked'],
    },
    'an admin removes no owner': { as: 'admin', given: with_role('owner'), answers: '403 insufficient_scope' },
  },
  {
    unmet: { 'oauth-grant.revoked': 'as by a member who is disabled' },
  },
)

cases('members.end_sessions', {
  'tokens go on': {
    as: 'admin',
    given: with_role('viewer'),
    audit: ({ member_id: subject_id }) => ({ subject_kind: 'members', subject_id }),
    afterwards: async (t, { given }) => assert.ok(await works(t, given.token)),
  },
  'an admin signs no owner out': { as: 'admin', given: with_role('owner'), answers: '403 insufficient_scope' },
})

/** A member who has lost an authenticator app. */
const with_app = async (t: TestService, role: Role = 'viewer') => {
  const made = await addMember(t, role)
  await t.database.database.transaction({ role: 'owner' }, (tx) =>
    tx.run(sql`
      insert into totp_secrets (user_id, sealed_secret, last_step, created_at)
      values (${made.member_id}, '\\x00', 0, app_now())`),
  )
  return made
}
const hasFactor = async (t: TestService, { member_id, token }: Body) =>
  (await t.call('GET', `/members/${member_id}`, { token })).body.has_second_factor

cases(
  'members.reset_second_factor',
  {
    'a member who lost the app has the password alone': {
      as: 'admin',
      given: async (t) => {
        const made = await with_app(t)
        assert.equal(await hasFactor(t, made), true)
        return made
      },
      audit: ({ member_id: subject_id }) => ({ subject_kind: 'members', subject_id }),
      afterwards: async (t, { given }) => assert.equal(await hasFactor(t, given), false),
    },
    'an account of another organization too is not weakened by this one': {
      as: 'owner',
      async given(t) {
        const made = await with_app(t)
        const { id: organization_id } = await t.createOrganization()
        await t.database.database.transaction({ role: 'owner', organization_id }, (tx) =>
          grantMembership(tx, organization_id, made.member_id, 'viewer'),
        )
        return made
      },
      answers: '409 invalid_state',
      afterwards: async (t, { given }) => assert.equal(await hasFactor(t, given), true),
    },
    'an admin resets no owner': {
      as: 'admin',
      given: (t) => with_app(t, 'owner'),
      answers: '403 insufficient_scope',
      afterwards: async (t, { given }) => assert.equal(await hasFactor(t, given), true),
    },
  },
  only_of_sessions,
)

test('nobody gives a role with rights beyond the own, nor touches an owner without being one: all roles, all changes', () => {
  const given = roles.map((giver) => [giver, roles.filter((role) => mayGive(giver, role))])
  assert.deepEqual(Object.fromEntries(given), {
    owner: roles,
    admin: ['admin', 'developer', 'viewer'],
    developer: ['developer', 'viewer'],
    finance: ['finance'],
    viewer: ['viewer'],
  })
  const statuses = ['active', 'disabled'] as const
  const states = roles.flatMap((role) => statuses.map((status) => ({ role, status }) as MemberRow))
  for (const giver of ['owner', 'admin'] as const) {
    for (const before of states) {
      for (const after of [...states, null]) {
        const touches_owner = before.role === 'owner' && giver !== 'owner'
        const is_enabled = before.status === 'disabled' && after?.status === 'active'
        const hands_out = after !== null && (after.role !== before.role || is_enabled)
        const refused = touches_owner || (hands_out && !mayGive(giver, after.role))
        const told = JSON.stringify([giver, before, after])
        if (refused) assert.throws(() => refuseChange(giver, before, after), told)
        else assert.doesNotThrow(() => refuseChange(giver, before, after), told)
      }
    }
  }
  assert.deepEqual(states.filter(isOwner), [{ role: 'owner', status: 'active' }])
})

const organizationOf = async (): Promise<TestService> => {
  const service = await serviceOfCases()
  return inOrganization(service, await service.createOrganization())
}

test('of two owners who lower themselves or each other at once one stays owner', async () => {
  for (const each_other of [true, false]) {
    for (const body of [{ role: 'viewer' }, { status: 'disabled' }, null]) {
      const t = await organizationOf()
      const [one, two] = [await addMember(t, 'owner'), await addMember(t, 'owner')]
      const calls = [
        [one, each_other ? two : one],
        [two, each_other ? one : two],
      ] as const
      const answers = await Promise.all(
        calls.map(([by, whom]) =>
          t.call(body ? 'PATCH' : 'DELETE', `/members/${whom.member_id}`, { token: by.token, ...(body && { body }) }),
        ),
      )
      const done = answers.filter(({ status }) => status < 300)
      assert.equal(done.length, 1, JSON.stringify(answers.map((answer) => answer.body)))
      const rows = await t.database.database.transaction({ role: 'owner' }, (tx) =>
        tx.rows(sql`
          select user_id from memberships
          where organization_id = ${t.organization.id} and role = 'owner' and status = 'active'`),
      )
      assert.equal(rows.length, 1)
    }
  }
})

const password = noteSecret('seven quiet herons')
let people = 0

/** Somebody signed in at the console with this role. */
async function signedIn(t: TestService, role: Role) {
  people += 1
  const email = `member-of-tests-${people}@harbour.example`
  const member_id = await addUser(t, { email, password })
  const organization_id = t.organization.id
  await t.database.database.transaction({ role: 'owner', organization_id }, (tx) =>
    grantMembership(tx, organization_id, member_id, role),
  )
  const { cookie = '' } = await callConsole(t, 'POST', '/session', { body: { email, password } })
  const call = async (
    method: 'GET' | 'PATCH' | 'POST' | 'DELETE',
    path: string,
    body?: object,
    place = organization_id,
  ) => {
    const answer = await t.app.inject({
      ...{ method, url: `/console/rest/v2${path}` },
      headers: { ...pageHeaders, cookie, 'stint-organization': place, 'content-type': 'application/json' },
      ...(body && { payload: JSON.stringify(body) }),
    })
    return { status: answer.statusCode, body: answer.body === '' ? null : answer.json() }
  }
  return { member_id, email, call }
}

test('a lowered role counts at the next call of an open page, and disabling signs the person out', async () => {
  const t = await organizationOf()
  const owner = await signedIn(t, 'owner')
  const other = await signedIn(t, 'developer')
  const of_other = `/members/${other.member_id}`
  assert.equal((await other.call('GET', '/webhooks')).status, 200)
  assert.equal((await owner.call('PATCH', of_other, { role: 'finance' })).status, 200)
  assert.equal((await other.call('GET', '/webhooks')).body.code, 'insufficient_scope')
  assert.equal((await owner.call('POST', `${of_other}/end-sessions`, {})).status, 204)
  assert.equal((await other.call('GET', '/members')).status, 401)
  const again = await signedIn(t, 'developer')
  assert.equal((await owner.call('PATCH', `/members/${again.member_id}`, { status: 'disabled' })).status, 200)
  assert.equal((await again.call('GET', '/members')).status, 401)
  const { cookie } = await callConsole(t, 'POST', '/session', { body: { email: again.email, password } })
  const { session } = (await callConsole(t, 'GET', '/session', { cookie: cookie ?? '' })).body
  assert.deepEqual(session.memberships, [])
})

test('an organization signs nobody out of another one', async () => {
  const t = await organizationOf()
  const owner = await signedIn(t, 'owner')
  const other = await signedIn(t, 'developer')
  const { id: elsewhere } = await t.createOrganization()
  await t.database.database.transaction({ role: 'owner', organization_id: elsewhere }, (tx) =>
    grantMembership(tx, elsewhere, other.member_id, 'viewer'),
  )
  const seen = async (id: string) => (await other.call('GET', '/members', undefined, id)).status
  assert.deepEqual([await seen(t.organization.id), await seen(elsewhere)], [200, 200])
  assert.equal((await owner.call('POST', `/members/${other.member_id}/end-sessions`, {})).status, 204)
  assert.deepEqual([await seen(t.organization.id), await seen(elsewhere)], [403, 200])
  const body = { email: other.email, password }
  const again = await callConsole(t, 'POST', '/session', { body })
  const { session } = (await callConsole(t, 'GET', '/session', { cookie: again.cookie ?? '' })).body
  assert.equal(session.memberships.length, 2)
})

test('handing out rights asks for a proof of the last ten minutes, taking them away does not', async () => {
  const t = await organizationOf()
  const owner = await signedIn(t, 'owner')
  const other = await addMember(t, 'viewer')
  await t.clock.advance(601_000)
  const path = `/members/${other.member_id}`
  const invitation = { email: 'late@harbour.example', role: 'viewer' }
  const disabled = await owner.call('PATCH', path, { status: 'disabled' })
  assert.deepEqual([disabled.status, disabled.body.status], [200, 'disabled'])
  for (const asked of [
    await owner.call('PATCH', path, { status: 'active' }),
    await owner.call('PATCH', path, { role: 'developer' }),
    await owner.call('POST', '/members/invitations', invitation),
    await owner.call('POST', `${path}/reset-second-factor`, {}),
  ]) {
    assert.equal(asked.body.code, 'reauthentication_required')
  }
  assert.equal((await owner.call('DELETE', path)).status, 204)
})

/** A permission that a member gave to an app, as a row. */
async function giveGrant(t: TestService, user_id: string): Promise<void> {
  const { id: organization_id } = t.organization
  const redirect_uris = ['https://app.example/callback']
  const { body } = await t.call('POST', '/oauth-clients', {
    body: { name: 'Desk', redirect_uris, scopes: ['contracts:read'] },
  })
  noteSecret(body.client_secret)
  const id = newId(t.clock.now())
  await t.database.database.transaction({ role: 'app', organization_id }, (tx) =>
    tx.run(sql`
      insert into oauth_grants (id, organization_id, client_id, client_name, user_id, scopes, sensitive_data, resource, root_id,
                                created_at, updated_at)
      values (${id}, ${organization_id}, ${body.client_id}, 'Desk', ${user_id}, '{contracts:read}', '{}', 'rest', ${id},
              app_now(), app_now())`),
  )
}
