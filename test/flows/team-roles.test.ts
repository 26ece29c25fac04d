import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { writeGrant } from '#authorization/grant.store.ts'
import type { Role } from '#core/caller.ts'
import { newId } from '#core/values.ts'
import { raw, sql } from '#db/database.ts'
import { grantMembership } from '#identity/account.store.ts'
import { issueToken } from '#identity/token.store.ts'
import { digestOf } from '#identity/token-format.ts'
import { newPerson } from '#test/account.ts'
import { pageHeaders } from '#test/console-caller.ts'
import { addMember, type Body, createPerson, insertNamed, linkAccount } from '#test/factories.ts'
import { noteSecret } from '#test/secrets.ts'
import { inOrganization, startTestService, type TestService } from '#test/service.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

/** An organization with an owner, and an account that is a person of it, by hand of this role. */
async function given(by_hand: Role | null = null) {
  const t = inOrganization(service, await service.createOrganization())
  const owner = await addMember(t, 'owner')
  const { id } = await createPerson(t)
  const account = await addMember(t, by_hand)
  await linkAccount(t, id, account.member_id)
  return { t, owner, person_id: id as string, account }
}
type Given = Awaited<ReturnType<typeof given>>

/** A team that gives a role, set by the owner. */
async function mapped({ t, owner }: Given, role: Role | null, name = `Team ${role}`): Promise<string> {
  const team_id = await insertNamed(t, 'teams', name)
  if (role) await map(t, owner.token, team_id, role)
  return team_id
}

async function map(t: TestService, token: string, team_id: string, role: Role | null) {
  const { status, body } = await t.call('PATCH', '/provisioning', { token, body: { team_roles: [{ team_id, role }] } })
  assert.equal(status, 200, JSON.stringify(body))
}

const join = ({ t, owner, person_id }: Given, team_ids: string[], token = owner.token) =>
  t.call('PATCH', `/people/${person_id}`, { token, body: { team_ids } })

async function roleOf({ t, account }: Given): Promise<string | null> {
  const { id: organization_id } = t.organization
  const row = await service.database.database.transaction({ role: 'app', organization_id }, (tx) =>
    tx.row<{ role: string }>(sql`
      select role from own_members where organization_id = ${organization_id} and user_id = ${account.member_id}`),
  )
  return row?.role ?? null
}

/** An access token of an app that acts for a user. */
async function appToken({ t, account: { member_id: user_id } }: Given): Promise<string> {
  const { id: organization_id } = t.organization
  const [grant_id, client_id] = [newId(service.clock.now()), `cli_${user_id.replaceAll('-', '').slice(-22)}`]
  const rights = { organization_id, user_id, scopes: ['people:read'], sensitive_data: [] } as const
  await service.database.database.transaction({ role: 'lookup' }, (tx) =>
    tx.run(sql`
      insert into oauth_clients (client_id, kind, name, redirect_uris, grant_types, auth_methods, created_at, updated_at)
      values (${client_id}, 'dynamic', 'test', '{}', '{authorization_code}', '{none}', app_now(), app_now())`),
  )
  return service.database.database.transaction({ role: 'app', organization_id }, async (tx) => {
    const client = { client_id, client_name: 'test', redirect_host: null, resource: 'rest' } as const
    await writeGrant(tx, {
      ...rights,
      ...client,
      scopes: [...rights.scopes],
      sensitive_data: [],
      id: grant_id,
      person_id: null,
      ends_at: null,
    })
    const { token } = await issueToken(tx, {
      ...{ id: newId(service.clock.now()), organization_id, user_id, kind: 'oauth', name: 'test', is_sandbox: false },
      ...{ scopes: ['people:read'], sensitive_data: [], expires_at: null },
      created_by: { kind: 'system', id: null, name: 'test' },
      oauth: { client_id, grant_id, resource: 'rest' },
    })
    return token
  })
}

test('the role of a team opens sessions, personal tokens and apps alike, and leaving the team closes them at the next request', async () => {
  const all = await given()
  const { t, person_id } = all
  // An account with a password, for a session; no member by hand.
  const browser = await newPerson(service, t.organization.id)
  const account = { member_id: browser.user_id, token: '' }
  await service.database.database.transaction({ role: 'owner', organization_id: t.organization.id }, (tx) =>
    tx.run(sql`delete from memberships where organization_id = ${t.organization.id} and user_id = ${browser.user_id}`),
  )
  const app_token = await appToken(all)
  await linkAccount(t, person_id, account.member_id)
  assert.equal((await browser.signIn()).status, 201)
  const bySession = async () => {
    const answer = await service.app.inject({
      ...{ method: 'GET', url: '/console/rest/v2/people' },
      headers: {
        ...{ ...pageHeaders, 'stint-organization': t.organization.id },
        cookie: [...browser.cookies].map((pair) => pair.join('=')).join('; '),
      },
    })
    return answer.statusCode
  }
  const byToken = async (token: string) => (await t.call('GET', '/people', { token })).status
  // The person's account is that of the session now; the personal token and the app are of another person in the same team.
  const other = await createPerson(t)
  await linkAccount(t, other.id, all.account.member_id)
  const statuses = async () => [await bySession(), await byToken(all.account.token), await byToken(app_token)]
  assert.deepEqual(await statuses(), [403, 401, 401])
  const team_id = await mapped(all, 'viewer')
  const put = (team_ids: string[]) =>
    Promise.all(
      [person_id, other.id].map((id) =>
        t.call('PATCH', `/people/${id}`, { token: all.owner.token, body: { team_ids } }),
      ),
    )
  await put([team_id])
  assert.deepEqual(await statuses(), [200, 200, 200])
  await put([])
  assert.deepEqual(await statuses(), [403, 401, 401])
})

test('of several teams the strongest counts, in place of the role given by hand, which comes back', async () => {
  for (const by_hand of ['admin', 'viewer', null] as const) {
    const all = await given(by_hand)
    const [viewer, developer, finance, admin, none] = [
      await mapped(all, 'viewer'),
      await mapped(all, 'developer'),
      await mapped(all, 'finance'),
      await mapped(all, 'admin'),
      await mapped(all, null, 'Lunch'),
    ]
    const after = async (team_ids: string[]) => {
      assert.equal((await join(all, team_ids)).status, 200)
      return roleOf(all)
    }
    const told = [
      await after([viewer, none]),
      await after([viewer, developer]),
      await after([developer, finance, viewer]),
    ]
    assert.deepEqual(told, ['viewer', 'developer', 'finance'])
    assert.deepEqual([await after([finance, admin]), await after([none]), await after([])], ['admin', by_hand, by_hand])
  }
})

test('an owner stays owner, and who is disabled or blocked is nobody by a team either', async () => {
  const owner = await given('owner')
  const demoting = await mapped(owner, 'viewer')
  await join(owner, [demoting])
  assert.equal(await roleOf(owner), 'owner')
  // Alone with a role by hand: the team of the last owner takes nothing away.
  assert.equal(
    (await owner.t.call('DELETE', `/members/${owner.owner.member_id}`, { token: owner.account.token })).status,
    204,
  )
  assert.equal((await owner.t.call('GET', '/provisioning', { token: owner.account.token })).status, 200)

  const disabled = await given('developer')
  await join(disabled, [await mapped(disabled, 'admin')])
  const listed = await disabled.t.call('GET', `/members/${disabled.account.member_id}`, { token: disabled.owner.token })
  assert.deepEqual([listed.body.role, listed.body.team_role], ['developer', 'admin'])
  const body = { status: 'disabled' }
  const shown = await disabled.t.call('PATCH', `/members/${disabled.account.member_id}`, {
    token: disabled.owner.token,
    body,
  })
  assert.deepEqual([shown.body.team_role, await roleOf(disabled)], [null, null])

  const blocked = await given()
  await join(blocked, [await mapped(blocked, 'admin')])
  assert.equal(await roleOf(blocked), 'admin')
  await blocked.t.call('POST', `/people/${blocked.person_id}/block-access`)
  assert.equal(await roleOf(blocked), null)
})

test('a team keeps its role under another name, and takes it along when it is removed', async () => {
  const all = await given('viewer')
  const team_id = await mapped(all, 'developer')
  await join(all, [team_id])
  await all.t.call('PATCH', `/teams/${team_id}`, { body: { name: 'Renamed' } })
  assert.equal(await roleOf(all), 'developer')
  assert.equal((await all.t.call('DELETE', `/teams/${team_id}`)).status, 204)
  assert.equal(await roleOf(all), 'viewer')
  const { body } = await all.t.call('GET', '/provisioning', { token: all.owner.token })
  assert.deepEqual(body.team_roles, [])
})

test('who has no account has no role, until there is one', async () => {
  const all = await given()
  const { id } = await createPerson(all.t)
  const team_id = await mapped(all, 'viewer')
  await all.t.call('PATCH', `/people/${id}`, { token: all.owner.token, body: { team_ids: [team_id] } })
  const figures = async () => {
    const { body } = await all.t.call('GET', '/provisioning', { token: all.owner.token })
    return [body.team_roles[0].member_count, body.team_roles[0].account_count]
  }
  assert.deepEqual([await roleOf(all), await figures()], [null, [1, 0]])
  const { member_id } = await addMember(all.t, null)
  await linkAccount(all.t, id, member_id)
  const later = { ...all, account: { member_id, token: '' } }
  assert.deepEqual([await roleOf(later), await figures()], ['viewer', [1, 1]])
})

test('nobody joins a team beyond what the caller may hand out, by whatever way', async () => {
  const all = await given('admin')
  const { t, account, owner, person_id } = all
  const team_id = await mapped(all, 'finance')
  const scim = async (maker: string) => {
    const made = await t.call('POST', '/api-tokens', { token: maker, body: { name: 'IdP', scopes: ['scim:write'] } })
    const answer = await service.app.inject({
      ...{ method: 'PATCH', url: `/scim/v2/Groups/${team_id}` },
      headers: { authorization: `Bearer ${made.body.token}`, 'content-type': 'application/scim+json' },
      payload: JSON.stringify({ Operations: [{ op: 'add', path: 'members', value: [{ value: person_id }] }] }),
    })
    return answer.statusCode
  }
  const refused = [
    (await join(all, [team_id], account.token)).status,
    (await join(all, [team_id], t.organization.token)).status,
    (await t.call('POST', '/people', { token: account.token, body: { ...stranger, team_ids: [team_id] } })).status,
    await scim(account.token),
  ]
  assert.deepEqual([refused, await roleOf(all)], [[403, 403, 403, 403], 'admin'])
  const told = await t.call('GET', '/audit-entries', {
    token: owner.token,
    query: { action: 'scim.groups.patch.refused' },
  })
  assert.deepEqual(
    told.body.data.map(({ actor, subject }: Body) => [actor.kind, subject.id]),
    [['scim', team_id]],
  )
  // Of the same team a member is moved about as before, and what an owner connected gives it.
  assert.deepEqual([await scim(owner.token), await roleOf(all)], [204, 'finance'])
})
const stranger = { first_name: 'Ida', last_name: 'Berg', email: 'ida@harbour.example' }

test('an invitation of somebody whose team gives the right no more is over', async () => {
  const all = await given('viewer')
  const { t, account } = all
  await join(all, [await mapped(all, 'admin')])
  const invited = await t.call('POST', '/members/invitations', {
    ...{ token: account.token, body: { email: 'guest@harbour.example', role: 'developer' } },
  })
  assert.equal(invited.status, 201, JSON.stringify(invited.body))
  const secret = String(invited.body.url).replace(/^.*#/, '')
  const shown = async () => {
    const headers = { ...pageHeaders, 'stint-invitation': secret }
    return (await service.app.inject({ method: 'GET', url: '/console/auth/invitations', headers })).statusCode
  }
  assert.equal(await shown(), 200)
  await join(all, [])
  const accepted = await service.app.inject({
    ...{ method: 'POST', url: '/console/auth/invitations' },
    headers: { ...pageHeaders, 'stint-invitation': secret, 'content-type': 'application/json' },
    payload: JSON.stringify({ name: 'Guest', password: noteSecret('nine quiet herons') }),
  })
  assert.notEqual(await shown(), 200)
  assert.ok(accepted.statusCode >= 400, accepted.body)
})

test('a session has to prove itself to give a role, and not to take one away', async () => {
  const all = await given()
  const { t } = all
  const browser = await newPerson(service, t.organization.id)
  await service.database.database.transaction({ role: 'owner', organization_id: t.organization.id }, (tx) =>
    grantMembership(tx, t.organization.id, browser.user_id, 'owner'),
  )
  assert.equal((await browser.signIn()).status, 201)
  await service.database.database.transaction({ role: 'lookup' }, (tx) =>
    tx.run(sql`
      update sessions set authenticated_at = authenticated_at - interval '1 hour' where user_id = ${browser.user_id}`),
  )
  const [team_id, given_before] = [await mapped(all, null, 'Core'), await mapped(all, 'viewer')]
  const patch = async (id: string, role: Role | null) => {
    const answer = await service.app.inject({
      ...{ method: 'PATCH', url: '/console/rest/v2/provisioning' },
      headers: {
        ...{ ...pageHeaders, 'stint-organization': t.organization.id, 'content-type': 'application/json' },
        cookie: [...browser.cookies].map((pair) => pair.join('=')).join('; '),
      },
      payload: JSON.stringify({ team_roles: [{ team_id: id, role }] }),
    })
    return answer.json().code ?? answer.statusCode
  }
  assert.deepEqual(
    [await patch(team_id, 'viewer'), await patch(given_before, null)],
    ['reauthentication_required', 200],
  )
})

test('a credential is looked up by its own member, however many others there are', async () => {
  const all = await given('viewer')
  const { id: organization_id } = all.t.organization
  const plans = await service.database.database.transaction({ role: 'owner', organization_id }, async (tx) => {
    await tx.run(sql`
      insert into users (id, email, name, created_at, updated_at)
      select gen_random_uuid(), 'many-' || n || '@harbour.example', 'Many', app_now(), app_now() from generate_series(1, 2000) n`)
    await tx.run(sql`
      insert into memberships (organization_id, user_id, role, created_at)
      select ${organization_id}, id, 'viewer', app_now() from users where email like 'many-%'`)
    await tx.run(sql`
      insert into people (organization_id, id, user_id, first_name, last_name, email, worker_type, status, access, locale,
                          created_at, updated_at)
      select ${organization_id}, id, id, 'Many', 'Others', email, 'employee', 'active', 'enabled', 'en', app_now(), app_now()
      from users where email like 'many-%'`)
    for (const table of ['users', 'memberships', 'people']) await tx.run(sql`analyze ${raw(table)}`)
    const explained = []
    for (const [view, token] of [
      ['live_personal_tokens', all.account.token],
      ['live_oauth_tokens', await appToken(all)],
    ] as const) {
      explained.push(
        await tx.rows<Record<string, string>>(sql`
          explain (analyze, timing off, costs off)
          select role from ${raw(view)} where digest = ${digestOf(token)} and 'rest' = any (resources)`),
      )
    }
    return explained
  })
  for (const plan of plans) {
    const text = plan.map((row) => Object.values(row)[0]).join('\n')
    const read = [...text.matchAll(/(?:actual rows=|Rows Removed by Filter: )(\d+)/g)].map(([, rows]) => Number(rows))
    assert.ok(read.length > 5 && Math.max(...read) < 100, text)
  }
})
