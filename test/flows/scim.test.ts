import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
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

async function tokenOf(organization: TestOrganization, kind: Step['token']): Promise<string | null> {
  if (kind === undefined) return organization.token
  if (kind === null) return null
  if (kind === 'bad') return `${organization.token.slice(0, -4)}0000`
  if (kind === 'read') return service.createToken(organization.id, { scopes: ['scim:read'] })
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

for (const { name, steps } of cases) {
  test(name, async () => {
    const organization = await service.createOrganization()
    const ids = new Map<string, string>()
    const accounts = new Map<string, string>()
    const tokenOfAccount = async (name: string) => {
      const known = accounts.get(name)
      if (known) return known
      const { member_id, token } = await addMember(service, null, organization.id)
      await linkAccount(service, ids.get(name) ?? '', member_id, organization.id)
      accounts.set(name, token)
      return token
    }
    const filled = (text: string) => text.replaceAll(/\{([\w-]+)\}/g, (_, id: string) => ids.get(id) ?? `{${id}}`)
    for (const [at, step] of steps.entries()) {
      const [method = '', path = ''] = filled(step.send).split(' ')
      const token = step.account ? await tokenOfAccount(step.account) : await tokenOf(organization, step.token)
      const text = typeof step.body === 'string' ? step.body : step.body && JSON.stringify(step.body)
      const type = step.rest ? 'application/json' : 'application/scim+json; charset=utf-8'
      const answer = await fetch(`${origin}${step.rest ? '/rest/v2' : '/scim/v2'}${path}`, {
        method,
        headers: {
          ...(token && { authorization: `Bearer ${token}` }),
          ...(text !== undefined && { 'content-type': type }),
          ...step.headers,
        },
        ...(text !== undefined && { body: filled(text) }),
      })
      const told = await answer.text()
      const where = `step ${at + 1}, ${step.send}`
      assert.equal(answer.status, step.gives, `${where}: ${told.slice(0, 500)}`)
      const body = told === '' ? undefined : JSON.parse(told)
      if (body && !step.rest)
        assert.equal(answer.headers.get('content-type'), 'application/scim+json; charset=utf-8', where)
      if (step.shows) assertShows(body, JSON.parse(filled(JSON.stringify(step.shows, keepFunctions)), restored), where)
      if (step.as) ids.set(step.as, body.id)
      if (step.emits) {
        const events = await service.takeEvents(organization.id)
        assert.deepEqual(
          events.map(({ event_type }) => event_type),
          step.emits,
          where,
        )
      }
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
