import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import type { Role } from '#core/caller.ts'
import { sql } from '#db/database.ts'
import { callConsole, pageHeaders } from '#test/console-caller.ts'
import { addMember, linkAccount } from '#test/factories.ts'
import { closeWhileUsed, holdCredentials } from '#test/held-credentials.ts'
import { signIn } from '#test/oauth.ts'
import { noteSecret } from '#test/secrets.ts'
import { startTestService, type TestService } from '#test/service.ts'

let service: TestService
beforeEach(async () => {
  service = await startTestService()
})
afterEach(() => service.close())

async function scim(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) {
  const answer = await service.app.inject({
    ...{ method, url: `/scim/v2${path}` },
    headers: { authorization: `Bearer ${service.organization.token}`, 'content-type': 'application/scim+json' },
    ...(body && { payload: JSON.stringify(body) }),
  })
  return { status: answer.statusCode, body: answer.body === '' ? null : answer.json() }
}

/** A member with a personal token, who is the user of this name as well. */
async function memberAs(userName: string, role: Role) {
  const { member_id, token } = await addMember(service, role)
  const { body } = await scim('POST', '/Users', { userName })
  await linkAccount(service, body.id, member_id)
  return { id: body.id as string, member_id, token }
}

const active = (id: string, value: boolean) =>
  scim('PATCH', `/Users/${id}`, { Operations: [{ op: 'replace', path: 'active', value }] })
const works = async (token: string) => (await service.call('GET', '/contracts', { token })).status === 200
const rightsOf = async (member_id: string) => {
  const rows = await service.database.database.transaction({ role: 'lookup' }, (tx) =>
    tx.rows<{ role: string }>(sql`select role from standing_members where user_id = ${member_id}`),
  )
  return rows.map(({ role }) => role)
}

test('a closed access ends tokens and membership at once, for good and until it is opened', async () => {
  const ana = await memberAs('ana', 'developer')
  assert.deepEqual([await works(ana.token), await rightsOf(ana.member_id)], [true, ['developer']])
  await service.takeEvents()
  assert.equal((await active(ana.id, false)).status, 200)
  assert.deepEqual([await works(ana.token), await rightsOf(ana.member_id)], [false, []])
  const events = await service.takeEvents()
  assert.deepEqual(
    events.map(({ event_type }) => event_type),
    ['user.deprovisioned', 'api-token.revoked'],
  )
  assert.equal((await active(ana.id, true)).status, 200)
  assert.deepEqual([await works(ana.token), await rightsOf(ana.member_id)], [false, ['developer']])
})

test('no credential of any kind works in a request that begins after the answer', async () => {
  const user = await signIn(service, { role: 'developer' })
  const { body: ana } = await scim('POST', '/Users', { userName: 'ana' })
  const credentials = await holdCredentials(service, user, ana.id, 'https://stint.test/rest/v2')
  await closeWhileUsed([service], credentials, async () => assert.equal((await active(ana.id, false)).status, 200))
  await active(ana.id, true)
  for (const { name, use } of credentials) assert.equal(await use(service), false, `${name} came back`)
})

test('the session of a worker who is no member ends too, and does not come back with the access', async () => {
  const { user_id, cookie } = await signIn(service, { role: null })
  const { body: bob } = await scim('POST', '/Users', { userName: 'bob' })
  await linkAccount(service, bob.id, user_id)
  const headers = { ...pageHeaders, cookie, 'stint-organization': service.organization.id, 'stint-person': bob.id }
  const status = async () =>
    (await service.app.inject({ method: 'GET', url: '/console/rest/v2/worker/me', headers })).statusCode
  assert.equal(await status(), 200)
  await active(bob.id, false)
  assert.equal(await status(), 401)
  await active(bob.id, true)
  assert.equal(await status(), 401)
})

test('whose access was closed is no member either once the person is deleted', async () => {
  const ana = await memberAs('ana', 'developer')
  await active(ana.id, false)
  assert.equal((await service.call('DELETE', `/people/${ana.id}`)).status, 204)
  assert.deepEqual(await rightsOf(ana.member_id), [])
  const bea = await memberAs('bea', 'developer')
  assert.equal((await service.call('DELETE', `/people/${bea.id}`)).status, 204)
  assert.deepEqual([await works(bea.token), await rightsOf(bea.member_id)], [false, []])
})

test('two POSTs of one name at once make one user', async () => {
  const answers = await Promise.all([1, 2, 3].map(() => scim('POST', '/Users', { userName: 'ana@x.example' })))
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 409, 409])
  assert.deepEqual(new Set(answers.map(({ body }) => body.scimType ?? 'made')), new Set(['made', 'uniqueness']))
})

test('the last owner is neither deleted nor blocked as a person', async () => {
  const one = await memberAs('one', 'owner')
  const [removed, blocked] = [
    await service.call('DELETE', `/people/${one.id}`),
    await service.call('POST', `/people/${one.id}/block-access`),
  ]
  assert.deepEqual([removed.body.code, blocked.body.code], ['last_owner', 'last_owner'])
  assert.deepEqual(await rightsOf(one.member_id), ['owner'])
})

test('the last owner keeps the access, also when all owners are closed at once', async () => {
  const owners = []
  for (const name of ['one', 'two', 'three', 'four', 'five', 'six']) owners.push(await memberAs(name, 'owner'))
  const answers = await Promise.all(
    owners.map(({ id }, at) => (at === 0 ? scim('DELETE', `/Users/${id}`) : active(id, false))),
  )
  const refused = answers.filter(({ status }) => status === 400)
  assert.deepEqual(
    refused.map(({ body }) => body.scimType),
    ['mutability'],
  )
  const left = await Promise.all(owners.map(({ member_id }) => rightsOf(member_id)))
  assert.deepEqual(left.flat(), ['owner'])
  const { body } = await service.call('GET', '/audit-entries')
  const told = body.data.filter(({ action }: { action: string }) => action.endsWith('.refused'))
  assert.deepEqual(
    told.map(({ actor, subject }: { actor: { kind: string }; subject: { kind: string } }) => [
      actor.kind,
      subject.kind,
    ]),
    Array.from({ length: refused.length }, () => ['scim', 'people']),
  )
})

test('a member goes with the user of its address, is shown so, comes back by no link, and returns with the user', async () => {
  const owner = await addMember(service, 'owner')
  const { member_id, token } = await addMember(service, 'finance')
  const address = `${member_id}@harbour.example`
  const { body: user } = await scim('POST', '/Users', {
    ...{ userName: 'ida', emails: [{ value: address.toUpperCase(), type: 'work', primary: true }] },
  })
  // Renamed in the same request, as providers do with whom they delete.
  const closing = {
    Operations: [{ op: 'replace', value: { active: false, 'emails[type eq "work"].value': 'gone@x.example' } }],
  }
  assert.equal((await scim('PATCH', `/Users/${user.id}`, closing)).status, 200)
  const statusOf = async () => (await service.call('GET', `/members/${member_id}`, { token: owner.token })).body.status
  assert.deepEqual([await works(token), await rightsOf(member_id), await statusOf()], [false, [], 'disabled'])
  const enabled = await service.call('PATCH', `/members/${member_id}`, {
    token: owner.token,
    body: { status: 'active' },
  })
  assert.deepEqual([enabled.status, enabled.body.code], [409, 'invalid_state'])
  assert.equal((await active(user.id, true)).status, 200)
  assert.deepEqual([await works(token), await rightsOf(member_id), await statusOf()], [false, ['finance'], 'active'])
  // A user that is removed goes for good, but for whoever may enable members.
  assert.equal(
    (
      await scim('PATCH', `/Users/${user.id}`, {
        Operations: [{ op: 'replace', value: { 'emails[type eq "work"].value': address } }],
      })
    ).status,
    200,
  )
  assert.equal((await scim('DELETE', `/Users/${user.id}`)).status, 204)
  assert.deepEqual([await rightsOf(member_id), await statusOf()], [[], 'disabled'])
  const back = await service.call('PATCH', `/members/${member_id}`, { token: owner.token, body: { status: 'active' } })
  assert.deepEqual([back.status, await rightsOf(member_id)], [200, ['finance']])
})

test('a user who arrives closed closes the member of its address, and what that member had ends', async () => {
  await addMember(service, 'owner')
  const { member_id, token } = await addMember(service, 'finance')
  const { status } = await scim('POST', '/Users', { userName: `${member_id}@harbour.example`, active: false })
  assert.deepEqual([status, await works(token), await rightsOf(member_id)], [201, false, []])
})

test('nobody is invited, and no link is accepted, by an address whose access is closed', async () => {
  const { token } = await addMember(service, 'owner')
  const email = 'late@harbour.example'
  const invite = () => service.call('POST', '/members/invitations', { token, body: { email, role: 'finance' } })
  const { body: invitation } = await invite()
  const link = noteSecret(new URL(invitation.url).hash.slice(1))
  const { body: user } = await scim('POST', '/Users', { userName: email, active: false })
  const accepted = await callConsole(service, 'POST', '/invitations', {
    ...{ body: { name: 'Late', password: 'seven quiet herons' }, headers: { 'stint-invitation': link } },
  })
  assert.deepEqual([accepted.status, accepted.body.reason], [404, 'blocked'])
  await service.call('POST', `/members/invitations/${invitation.id}/revoke`, { token })
  assert.deepEqual([(await invite()).body.code], ['invalid_state'])
  await active(user.id, true)
  assert.equal((await invite()).status, 201)
})

test('the last owner is not closed by address either', async () => {
  const { member_id } = await addMember(service, 'owner')
  const refused = await scim('POST', '/Users', { userName: `${member_id}@harbour.example`, active: false })
  assert.deepEqual([refused.status, refused.body.scimType, await rightsOf(member_id)], [400, 'mutability', ['owner']])
})

test('an admin closes no owner, by whatever way a person goes; an owner does, and so does what an owner made', async () => {
  const one = await memberAs('one', 'owner')
  const [owner, admin] = [await addMember(service, 'owner'), await addMember(service, 'admin')]
  const provisioning = async (token: string) => {
    const body = { name: 'provisioning', type: 'organization', scopes: ['scim:write', 'people:write'] }
    const made = await service.call('POST', '/api-tokens', { token, body })
    return noteSecret(made.body.token)
  }
  const close = async (token: string) => {
    const answer = await service.app.inject({
      ...{ method: 'PATCH', url: `/scim/v2/Users/${one.id}` },
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
      payload: JSON.stringify({ Operations: [{ op: 'replace', path: 'active', value: false }] }),
    })
    return answer.statusCode
  }
  const of_admin = await provisioning(admin.token)
  for (const token of [admin.token, of_admin]) {
    const blocked = await service.call('POST', `/people/${one.id}/block-access`, { token })
    const removed = await service.call('DELETE', `/people/${one.id}`, { token })
    assert.deepEqual([blocked.body.code, removed.body.code], ['insufficient_scope', 'insufficient_scope'])
  }
  assert.deepEqual([await close(of_admin), await rightsOf(one.member_id)], [403, ['owner']])
  assert.deepEqual([await close(await provisioning(owner.token)), await rightsOf(one.member_id)], [200, []])
})
