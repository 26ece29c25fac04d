import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#db/database.ts'
import { organizationScopes } from '#identity/scopes.ts'
import { digestOf } from '#identity/token-format.ts'
import { cases, serviceOfCases } from '#test/cases.ts'
import { addMember, type Body, createPerson, insertNamed, linkAccount } from '#test/factories.ts'
import { inOrganization, type TestService } from '#test/service.ts'

/** A team with one member who has an account. */
const teamOf = async (t: TestService) => {
  const team_id = await insertNamed(t, 'teams', 'Payroll')
  const { id } = await createPerson(t)
  const { member_id } = await addMember(t, null)
  await t.call('PATCH', `/people/${id}`, { body: { team_ids: [team_id] } })
  await linkAccount(t, id, member_id)
  return { team_id }
}
const gives = (role: string | null) => ({ input: ({ team_id }: Body) => ({ team_roles: [{ team_id, role }] }) })

cases('provisioning.get', {
  'it tells where, by what and how an identity provider calls': {
    as: 'admin',
    given: async (t) => {
      const token = await t.createToken(t.organization.id, { scopes: ['scim:write'] })
      await t.createToken(t.organization.id, { scopes: ['people:write'] })
      const call = (path: string) =>
        t.app.inject({ method: 'GET', url: `/scim/v2${path}`, headers: { authorization: `Bearer ${token}` } })
      assert.equal((await call('/Users')).statusCode, 200)
      assert.equal((await call('/Users?filter=userName')).statusCode, 400)
      await t.requests.flush()
      return {}
    },
    body: { last_day: { succeeded: 1, failed: 1 }, people: { linked: 0, removed: 0 }, team_roles: [] },
    afterwards: async (_, { body }) => {
      assert.match(body.base_url, /^https:.*\/scim\/v2$/)
      const told = body.credentials.map(({ kind, scopes, maker_left }: Body) => [kind, scopes.length, maker_left])
      assert.deepEqual(told.toSorted(), [
        ['api_token', 1, false],
        ['api_token', organizationScopes.length, false],
      ])
      assert.ok(body.last_success_at <= body.last_failure_at)
    },
  },
  'a developer does not see it': { as: 'developer', answers: '403 insufficient_scope' },
})

cases(
  'provisioning.update',
  {
    'a team gives a role, and the audit log has it': {
      as: 'admin',
      given: teamOf,
      ...gives('viewer'),
      body: ({ team_id }) => ({
        team_roles: [{ team: { id: team_id, name: 'Payroll' }, role: 'viewer', member_count: 1, account_count: 1 }],
      }),
      audit: ({ team_id }) => ({ subject_kind: 'teams', changed_fields: [`role.${team_id}`] }),
    },
    'what a team gives already changes nothing': {
      as: 'owner',
      given: teamOf,
      ...gives(null),
      body: { team_roles: [] },
      audit: null,
    },
    'an admin maps nothing beyond the own rights': {
      as: 'admin',
      given: teamOf,
      ...gives('finance'),
      answers: '403 insufficient_scope',
    },
    'an owner does': { as: 'owner', given: teamOf, ...gives('finance'), body: { team_roles: [{ role: 'finance' }] } },
    'nobody maps to owner': {
      ...{ as: 'owner', given: teamOf, ...gives('owner') },
      answers: '400 validation_failed',
      errors: ['/team_roles/0/role'],
    },
    'a token of the organization hands out no roles': {
      given: teamOf,
      ...gives('viewer'),
      answers: '403 user_required',
    },
    'a team that was removed is none': {
      as: 'owner',
      given: async (t) => {
        const team = await teamOf(t)
        await t.call('DELETE', `/teams/${team.team_id}`)
        return team
      },
      ...gives('viewer'),
      answers: '422 reference_not_found',
      errors: ['/team_roles/0/team_id'],
    },
    'a team is named once': {
      as: 'owner',
      given: teamOf,
      input: ({ team_id }: Body) => ({
        team_roles: ['viewer', 'admin'].map((role) => ({ team_id, role })),
      }),
      answers: '400 validation_failed',
      errors: ['/team_roles'],
    },
  },
  { unmet: { reauthentication_required: 'only a session of the console gets old: team-roles.test.ts meets it' } },
)

test('a credential whose maker is no member any more says so', async () => {
  const service = await serviceOfCases()
  const t = inOrganization(service, await service.createOrganization())
  const { token } = await addMember(t, 'owner')
  const admin = await addMember(t, 'admin')
  // Made in the console: what a personal token made would end with it.
  const made = await t.createToken(t.organization.id, { scopes: ['scim:write'] })
  await t.database.database.transaction({ role: 'owner', organization_id: t.organization.id }, (tx) =>
    tx.run(sql`
      update access_tokens set name = 'Okta', created_by = ${JSON.stringify({ kind: 'user', id: admin.member_id, name: 'Ada' })}
      where organization_id = ${t.organization.id} and digest = ${digestOf(made)}`),
  )
  const left = async () =>
    (await t.call('GET', '/provisioning', { token })).body.credentials.find(({ name }: Body) => name === 'Okta')
      .maker_left
  assert.equal(await left(), false)
  assert.equal((await t.call('DELETE', `/members/${admin.member_id}`, { token })).status, 204)
  assert.equal(await left(), true)
  const listed = (await t.call('GET', '/api-tokens', { token })).body.data
  assert.deepEqual(
    listed.filter(({ maker_left }: Body) => maker_left).map(({ name }: Body) => name),
    ['Okta'],
  )
})
