import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from '#db/database.ts'
import { addMember, linkAccount, memberToken } from '#test/factories.ts'
import type { TestOrganization, TestService } from '#test/service.ts'
import { startTestService } from '#test/service.ts'
import { cases, type Step } from './scim-cases.ts'

let service: TestService
let origin: string

before(async () => {
  service = await startTestService()
  origin = await service.app.listen({ host: '127.0.0.1', port: 0 })
})
after(() => service.close())

/** Tokens of the organizations beside those of the cases. */
const others = new WeakMap<TestOrganization, string>()

async function tokenOf(organization: TestOrganization, kind: Step['token']): Promise<string | null> {
  if (kind === undefined) return organization.token
  if (kind === null) return null
  if (kind === 'bad') return `${organization.token.slice(0, -4)}0000`
  if (kind === 'read') return service.createToken(organization.id, { scopes: ['scim:read'] })
  if (kind === 'write') return service.createToken(organization.id, { scopes: ['scim:write'] })
  if (kind === 'other') return service.createToken(organization.id, { scopes: ['people:write', 'organizations:write'] })
  if (kind === 'of another') {
    const another = others.get(organization) ?? (await service.createOrganization()).token
    others.set(organization, another)
    return another
  }
  if (kind === 'without home') return service.createToken(organization.id, { without: ['home_address'] })
  return memberToken(service, 'owner', organization.id)
}

/** An answer shows at least what is wanted: objects by their members, lists by their first elements. */
function assertShows(shown: unknown, wanted: unknown, place: string): void {
  if (typeof wanted === 'function') {
    assert.ok(wanted(shown), `${place}: ${JSON.stringify(shown)}`)
    return
  }
  if (Array.isArray(wanted)) {
    assert.ok(Array.isArray(shown), `${place} is no list: ${JSON.stringify(shown)}`)
    if (wanted.length === 0) assert.deepEqual(shown, [], place)
    for (const [at, one] of wanted.entries()) assertShows(shown[at], one, `${place}[${at}]`)
    return
  }
  if (typeof wanted === 'object' && wanted !== null) {
    for (const [name, value] of Object.entries(wanted)) {
      // The cast holds for every object, and undefined has no members.
      assertShows((shown as Record<string, unknown> | undefined)?.[name], value, `${place}.${name}`)
    }
    return
  }
  assert.deepEqual(shown, wanted, place)
}

/** The writes of one step that others read: the types of its events, its audit entries with the changed fields. */
function writesOf({ id: organization_id }: TestOrganization) {
  let seen = 0
  return async () => {
    const events = await service.takeEvents(organization_id)
    const entries = await service.database.database.transaction({ role: 'app', organization_id }, (tx) =>
      tx.rows<{ action: string; changed_fields: string[] }>(sql`
        select action, changed_fields from audit_entries where organization_id = ${organization_id} order by id offset ${seen}`),
    )
    seen += entries.length
    return {
      emits: events.map(({ event_type, resource }) =>
        resource.length > 1 ? `${event_type} × ${resource.length}` : event_type,
      ),
      // The fields of what is new are those of its body; here it is enough that they have names of SCIM.
      audits: entries.map(({ action, changed_fields }) =>
        /^scim.*create$/.test(action) && !changed_fields.includes('body')
          ? action
          : [action, ...changed_fields.toSorted()].join(' '),
      ),
    }
  }
}

for (const { name, steps } of cases) {
  test(name, async () => {
    const organization = await service.createOrganization()
    const writes = writesOf(organization)
    const kept = new Map<string, string>()
    const accounts = new Map<string, string>()
    const tokenOfAccount = async (name: string) => {
      const known = accounts.get(name)
      if (known) return known
      const { member_id, token } = await addMember(service, null, organization.id)
      await linkAccount(service, kept.get(name) ?? '', member_id, organization.id)
      accounts.set(name, token)
      return token
    }
    const filled = (text: string) =>
      text
        .replaceAll(/\{([\w-]+)\}/g, (_, known: string) => kept.get(known) ?? `{${known}}`)
        .replaceAll(/base64\((.*?)\)/g, (_, plain: string) => btoa(plain))
    for (const [at, step] of steps.entries()) {
      await service.clock.advance(step.after_s ? step.after_s * 1_000 : 0)
      const [method = '', path = ''] = filled(step.send).split(' ')
      const token = step.account ? await tokenOfAccount(step.account) : await tokenOf(organization, step.token)
      const text = typeof step.body === 'string' ? step.body : step.body && JSON.stringify(step.body)
      const type = step.rest ? 'application/json' : 'application/scim+json; charset=utf-8'
      const room = path.startsWith('/oauth/') ? '' : step.rest ? '/rest/v2' : '/scim/v2'
      const answer = await fetch(`${origin}${room}${path}`, {
        method,
        headers: {
          ...(token && { authorization: `Bearer ${token}` }),
          ...(text !== undefined && { 'content-type': type }),
          ...Object.fromEntries(Object.entries(step.headers ?? {}).map(([header, value]) => [header, filled(value)])),
        },
        ...(text !== undefined && { body: filled(text) }),
      })
      const told = await answer.text()
      const where = `step ${at + 1}, ${step.send}`
      assert.equal(answer.status, step.gives, `${where}: ${told.slice(0, 500)}`)
      const body = told === '' ? undefined : JSON.parse(told)
      if (body && room === '/scim/v2')
        assert.equal(answer.headers.get('content-type'), 'application/scim+json; charset=utf-8', where)
      if (step.as) kept.set(step.as, body.id)
      for (const [known, members] of Object.entries(step.keeps ?? {})) {
        kept.set(
          known,
          members.split('.').reduce((value, member) => value[member], body),
        )
      }
      if (step.shows) assertShows(body, JSON.parse(filled(JSON.stringify(step.shows, keepFunctions)), restored), where)
      for (const [header, value] of Object.entries(step.heads ?? {}))
        assert.equal(answer.headers.get(header), filled(value), `${where}, ${header}`)
      const { emits = [], audits = [] } = step
      assert.deepEqual(await writes(), { emits, audits: audits.map(filled) }, where)
    }
  })
}

/** Functions and absent members pass through the text in which ids are filled in. */
const functions: unknown[] = []
function keepFunctions(_: string, value: unknown) {
  if (typeof value !== 'function' && value !== undefined) return value
  return `kept ${functions.push(value) - 1}`
}
function restored(_: string, value: unknown) {
  const [, place] = (typeof value === 'string' && /^kept (\d+)$/.exec(value)) || []
  return place === undefined ? value : (functions[Number(place)] ?? absent)
}
const absent = (value: unknown) => value === undefined
