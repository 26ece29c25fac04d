import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isId, newId } from '#core/values.ts'
import { isApart, type Reader } from '#scim/attribute.ts'
import { type Filter, matches, parseFilter, parseTarget } from '#scim/filter.ts'
import { conditionOf } from '#scim/filter-sql.ts'
import { memberChange } from '#scim/groups.ts'
import { applyChanges, readChanges } from '#scim/patch.ts'
import { refusals, ScimError } from '#scim/refusals.ts'
import type { Resource } from '#scim/resource.ts'
import { group_type, user_type } from '#scim/schema.ts'
import { useTestService } from '#test/service.ts'
import { filters, patches } from './scim-fuzz.ts'

/** CI runs 10,000: ten times as many of what needs no service, and one of 25 over HTTP. */
const cases = Number(process.env.FUZZ_CASES ?? 300)
const pure = {
  numRuns: cases * 10,
  ...(process.env.FUZZ_SEED !== undefined && { seed: Number(process.env.FUZZ_SEED) }),
}
const called = { ...pure, numRuns: Math.ceil(cases / 25) }

// The cast holds because conditions know of the caller and of the address of the service only.
const readerOf = (...sensitive_data: string[]) =>
  ({
    caller: { organization_id: newId(0), sensitive_data: new Set(sensitive_data) },
    rooms: { scim: { base: 'https://stint.test/scim/v2' } },
  }) as unknown as Reader
const kinds = {
  users: { type: user_type, reader: readerOf('home_address') },
  'users without home': { type: user_type, reader: readerOf() },
  groups: { type: group_type, reader: readerOf() },
} as const
const kind = fc.constantFrom(...(['users', 'users without home', 'groups'] as const))

/** The outcome of something that may refuse, in the words of SCIM and in no others. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    assert.ok(error instanceof ScimError && refusals[error.refusal].status === 400, String(error))
    return undefined
  }
}

/** The same filter with other literals, of the same type and form. */
function withOthers(filter: Filter): Filter {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return { ...filter, parts: [withOthers(filter.parts[0]), withOthers(filter.parts[1])] }
    case 'not':
    case 'element':
      return { ...filter, part: withOthers(filter.part) }
    case 'present':
      return filter
    default:
      return { ...filter, value: other(filter.value) }
  }
}

function other(value: string | boolean): string | boolean {
  if (typeof value === 'boolean') return !value
  return isId(value) ? newId(1) : 'another'
}

function literalsOf(filter: Filter): (string | boolean)[] {
  // An id that is none is compared with nothing.
  if (filter.kind === 'compare') return filter.place.key === 'id' && !isId(`${filter.value}`) ? [] : [filter.value]
  if (filter.kind === 'present') return []
  return 'parts' in filter ? filter.parts.flatMap(literalsOf) : literalsOf(filter.part)
}

const person: Resource = {
  ...{ id: newId(2), userName: 'Nora@Harbour.example', externalId: 'Abc', active: true, title: 'Lead' },
  name: { givenName: 'Nora', familyName: 'Pine' },
  emails: [
    { value: 'nora@harbour.example', type: 'work', primary: true },
    { value: 'nora@home.example', type: 'home' },
  ],
  meta: { lastModified: '2026-03-02T10:00:00.123Z' },
}

test(`${pure.numRuns} filters are read or refused, and no literal is in the text of a statement`, (t) => {
  let read = 0
  fc.assert(
    fc.property(filters, kind, (text, name) => {
      const { type, reader } = kinds[name]
      const filter = attempt(() => parseFilter(type, text))
      const condition = filter && attempt(() => conditionOf(filter, reader))
      if (!condition) return
      read += 1
      // The statement is the same for every other literal; so nothing of a literal is in it.
      assert.deepEqual(conditionOf(withOthers(filter), reader).strings, condition.strings)
      for (const literal of literalsOf(filter)) assert.ok(condition.values.includes(literal), `${literal} is not bound`)
      assert.equal(typeof matches(filter, person), 'boolean')
    }),
    pure,
  )
  t.diagnostic(`${read} of ${pure.numRuns} were filters`)
  assert.ok(read > pure.numRuns / 5)
})

test(`${pure.numRuns} bodies of PATCH change a resource or are refused, and change nothing else`, (t) => {
  const before = structuredClone(person)
  let applied = 0
  fc.assert(
    fc.property(patches, fc.boolean(), (body, is_user) => {
      const type = is_user ? user_type : group_type
      const after = attempt(() => {
        const changes = readChanges(type, body, newId(2))
        for (const one of changes.filter(({ target }) => isApart(target.place))) memberChange(one)
        return applyChanges(person, changes)
      })
      assert.deepEqual(person, before, 'what it was stays as it is')
      if (!after) return
      applied += 1
      assert.equal(after.id, person.id)
      assert.ok(after.userName, 'the user name stays')
      assert.equal(Object.getPrototypeOf(after), Object.prototype)
      const primary = (Array.isArray(after.emails) ? after.emails : []).filter((one) => one.primary === true)
      assert.ok(primary.length <= 1, 'one primary element at most')
    }),
    pure,
  )
  t.diagnostic(`${applied} of ${pure.numRuns} were applied`)
  assert.ok(applied > pure.numRuns / 10)
})

test('100,000 signs of any kind are refused by the limit, without a deep stack', () => {
  for (const sign of ['(', '[', 'not (', 'emails[', 'name[(', '"', '\\', ')', 'title pr and (', '.']) {
    const text = sign.repeat(100_000)
    assert.equal(
      attempt(() => parseFilter(user_type, text)),
      undefined,
    )
    assert.equal(
      attempt(() => parseTarget(user_type, `emails[${text}`)),
      undefined,
    )
    assert.equal(
      attempt(() => readChanges(user_type, { Operations: [{ op: 'add', path: text, value: 1 }] }, '')),
      undefined,
    )
  }
})

test(`${called.numRuns} filters and as many bodies of PATCH are answered without a fault`, async (t) => {
  const service = await useTestService(t)
  const send = async (method: 'POST' | 'PATCH', path: string, body: object) => {
    const answer = await service.app.inject({
      ...{ method, url: `/scim/v2${path}`, payload: JSON.stringify(body) },
      headers: { authorization: `Bearer ${service.organization.token}`, 'content-type': 'application/scim+json' },
    })
    assert.ok(answer.statusCode < 500, `${answer.body} ${service.logged.at(-1)}`)
    return { status: answer.statusCode, body: answer.json() }
  }
  const { body: nora } = await send('POST', '/Users', { ...person, id: undefined })
  await fc.assert(
    fc.asyncProperty(filters, fc.constantFrom('/Users', '/Groups'), async (filter, path) => {
      const { status, body } = await send('POST', `${path}/.search`, { filter })
      assert.ok(status === 200 || /^invalid(Filter|Value)$/.test(body.scimType), JSON.stringify(body))
    }),
    called,
  )
  await fc.assert(
    fc.asyncProperty(patches, async (patch) => {
      const { status, body } = await send('PATCH', `/Users/${nora.id}`, patch)
      assert.ok(status === 200 ? body.id === nora.id : body.detail.length > 0)
    }),
    called,
  )
})
