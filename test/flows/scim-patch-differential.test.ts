import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { scimPatch } from 'scim-patch'
import { matches, parseTarget } from '#scim/filter.ts'
import { applyChanges, readChanges } from '#scim/patch.ts'
import { asResource, isAssigned, type Resource, valueAt } from '#scim/resource.ts'
import { enterprise_schema, user_type } from '#scim/schema.ts'

/** PATCH by our engine against `scim-patch`, on the dialect that both read; the differences stand below by name and reason. */

const enterprise = enterprise_schema.id
type Operation = { op: string; path?: string; value?: unknown }

/** Unassigned values are absent (RFC 7643 §2.5); the other engine leaves empty lists and objects behind. */
function pruned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pruned).filter(isPresent)
  const members = asResource(value)
  if (!members) return value
  return Object.fromEntries(
    Object.entries(members)
      .map(([name, one]) => [name, pruned(one)] as const)
      .filter(([, one]) => isPresent(one)),
  )
}
function isPresent(value: unknown): boolean {
  const members = asResource(value)
  return isAssigned(value) && (!members || Object.keys(members).length > 0)
}

type Outcome = Resource | 'refused'

function ours(resource: Resource, operation: Operation): Outcome {
  try {
    return pruned(applyChanges(resource, readChanges(user_type, { Operations: [operation] }, 'id'))) as Resource
  } catch {
    return 'refused'
  }
}

function theirs(resource: Resource, operation: Operation): Outcome {
  const meta = { created: new Date(0), lastModified: new Date(0) }
  try {
    // The casts hold because the other engine reads any object, and takes these operations.
    const given = { ...structuredClone(resource), schemas: [], meta }
    const after = scimPatch(given as never, [structuredClone(operation)] as never, { mutateDocument: false })
    const { meta: _, schemas: __, ...rest } = after as unknown as Resource
    return pruned(rest) as Resource
  } catch {
    return 'refused'
  }
}

const word = fc.constantFrom('Lead', 'Clerk', 'Nora', "o'hara", 'ß')
const kind = fc.constantFrom('work', 'home', 'other')
const element = fc.record(
  { value: word, type: kind, display: word, primary: fc.constant(true) },
  { requiredKeys: ['value', 'type'] },
)
const elements = fc.uniqueArray(element, { minLength: 1, maxLength: 3, selector: ({ type }) => type })
const person = fc.record(
  {
    userName: word,
    title: word,
    active: fc.boolean(),
    name: fc.record({ givenName: word, familyName: word }),
    emails: elements,
    phoneNumbers: elements,
    [enterprise]: fc.record({ costCenter: word, division: word }),
  },
  { requiredKeys: ['userName'] },
)

const list = fc.constantFrom('emails', 'phoneNumbers')
const filter = fc.oneof(
  kind.map((one) => `type eq "${one}"`),
  fc.tuple(kind, word).map(([type, value]) => `type eq "${type}" and value eq "${value}"`),
  fc.tuple(kind, kind).map(([one, other]) => `type eq "${one}" or type eq "${other}"`),
  word.map((one) => `value ne "${one}"`),
  word.map((one) => `value co "${one.slice(1)}"`),
  fc.constant('display pr'),
)
const sets = fc.constantFrom('add', 'replace', 'Add', 'Replace')
const operation = fc.oneof(
  fc.record({
    op: sets,
    path: fc.constantFrom('title', 'nickName', 'name.givenName', 'name.familyName', `${enterprise}:costCenter`),
    value: word,
  }),
  fc.record({ op: sets, path: fc.constant('active'), value: fc.boolean() }),
  fc.record({ op: sets, value: fc.record({ [enterprise]: fc.record({ costCenter: word }) }) }),
  fc.record({ op: sets, value: fc.record({ emails: elements, 'name.givenName': word }, { requiredKeys: [] }) }),
  fc.record({ op: sets, path: fc.tuple(list, filter).map(([of, one]) => `${of}[${one}]`), value: element }),
  fc.record({ op: sets, path: fc.constantFrom('Title', 'NAME.givenname', 'Emails'), value: fc.oneof(word, elements) }),
  fc.record({
    op: sets,
    value: fc.record({ title: word, active: fc.boolean(), nickName: word }, { requiredKeys: [] }),
  }),
  fc.record({ op: sets, path: fc.constant('name'), value: fc.record({ givenName: word }) }),
  fc.record({ op: fc.constantFrom('replace', 'add'), path: list, value: elements }),
  fc.record({
    op: fc.constant('replace'),
    path: fc.tuple(list, filter).map(([of, one]) => `${of}[${one}].display`),
    value: word,
  }),
  fc.record({
    op: fc.constant('remove'),
    path: fc.constantFrom('title', 'name.givenName', 'emails', 'phoneNumbers', `${enterprise}:costCenter`, 'name'),
  }),
  fc.record({ op: fc.constant('remove'), path: fc.tuple(list, filter).map(([of, one]) => `${of}[${one}]`) }),
  fc.record({ op: fc.constant('remove'), path: fc.tuple(list, filter).map(([of, one]) => `${of}[${one}].display`) }),
)

/** The elements that the brackets of the path name. */
function namedBy(resource: Resource, path = ''): unknown[] {
  const { place, filter } = parseTarget(user_type, path)
  const elements = valueAt(resource, (place.whole ?? place).path) ?? []
  return filter && Array.isArray(elements) ? elements.filter((one) => matches(filter, one, true)) : []
}
const hasBrackets = (path = '') => path.includes('[')

interface Difference {
  name: string
  reason: string
  applies(resource: Resource, operation: Operation): boolean
  /** One case of it, with both outcomes. */
  witness: [resource: Resource, operation: Operation, ours: Outcome, theirs: Outcome]
}

const differences: readonly Difference[] = [
  {
    name: 'a removal that finds nothing',
    reason:
      'what is to go is gone: a client that repeats itself gets no error (design 8.4); the other refuses with noTarget',
    applies: (resource, { op, path }) => op === 'remove' && hasBrackets(path) && namedBy(resource, path).length === 0,
    witness: [{ userName: 'a' }, { op: 'remove', path: 'emails[type eq "home"]' }, { userName: 'a' }, 'refused'],
  },
  {
    name: 'a replacement of a part that finds no element',
    reason:
      'Entra means an element that satisfies the filter (design 8.5); a filter of another form is refused by both',
    applies: (resource, { op, path }) => op !== 'remove' && hasBrackets(path) && namedBy(resource, path).length === 0,
    witness: [
      { userName: 'a' },
      { op: 'replace', path: 'emails[type eq "work"].value', value: 'x' },
      { userName: 'a', emails: [{ type: 'work', value: 'x' }] },
      'refused',
    ],
  },
  {
    name: 'two primary elements',
    reason: 'at most one is primary (RFC 7643 §2.4), and the last one set wins; the other keeps all',
    applies: (_, { value }) => JSON.stringify(value ?? null).includes('"primary":true'),
    witness: [
      { userName: 'a', emails: [{ value: 'x', primary: true }] },
      { op: 'add', path: 'emails', value: [{ value: 'y', primary: true }] },
      { userName: 'a', emails: [{ value: 'x' }, { value: 'y', primary: true }] },
      {
        userName: 'a',
        emails: [
          { value: 'x', primary: true },
          { value: 'y', primary: true },
        ],
      },
    ],
  },
  {
    name: 'an extension as a key of a value without a path',
    reason: 'its URN is one name (RFC 7644 §3.10); the other splits it at its last colon',
    applies: (_, { path, value }) => path === undefined && enterprise in (asResource(value) ?? {}),
    witness: [
      { userName: 'a' },
      { op: 'add', value: { [enterprise]: { costCenter: '7' } } },
      { userName: 'a', [enterprise]: { costCenter: '7' } },
      { userName: 'a', [enterprise.slice(0, -':User'.length)]: { User: { costCenter: '7' } } },
    ],
  },
  {
    name: 'an element that is there, added by a value without a path',
    reason:
      'nothing changes (RFC 7644 §3.5.2.1); the other adds it once more, though not where the path names the list',
    applies: ({ emails }, { op, path, value }) => {
      const added = asResource(value)?.emails
      if (!/add/i.test(op) || path !== undefined || !Array.isArray(added) || !Array.isArray(emails)) return false
      return added.some((one) => emails.some((other) => isDeepStrictEqual(one, other)))
    },
    witness: [
      { userName: 'a', emails: [{ value: 'x' }] },
      { op: 'add', value: { emails: [{ value: 'x' }] } },
      { userName: 'a', emails: [{ value: 'x' }] },
      { userName: 'a', emails: [{ value: 'x' }, { value: 'x' }] },
    ],
  },
  {
    name: 'a name in another case',
    reason: 'attribute names match in any case (RFC 7643 §2.1); the other adds a second attribute',
    applies: (_, { path }) => /Title|NAME|Emails/.test(path ?? ''),
    witness: [
      { userName: 'a', title: 'b' },
      { op: 'replace', path: 'Title', value: 'c' },
      { userName: 'a', title: 'c' },
      { userName: 'a', title: 'b', Title: 'c' },
    ],
  },
  {
    name: 'the replacement of whole elements',
    reason: 'the matching values are replaced (RFC 7644 §3.5.2.3); the other merges the new one into them',
    applies: (_, { op, path }) => /replace/i.test(op) && (path ?? '').endsWith(']'),
    witness: [
      { userName: 'a', emails: [{ value: 'x', type: 'home', display: 'X' }] },
      { op: 'replace', path: 'emails[type eq "home"]', value: { value: 'y', type: 'home' } },
      { userName: 'a', emails: [{ value: 'y', type: 'home' }] },
      { userName: 'a', emails: [{ value: 'y', type: 'home', display: 'X' }] },
    ],
  },
]

for (const { name, reason, applies, witness } of differences) {
  test(`they differ: ${name}, since ${reason}`, () => {
    const [resource, operation, own, other] = witness
    assert.ok(applies(resource, operation))
    assert.deepEqual([ours(resource, operation), theirs(resource, operation)], [own, other])
  })
}

test('in everything else both engines leave the same resource, or both refuse', () => {
  fc.assert(
    fc.property(person.map(plain), operation.map(plain), (resource, one) => {
      fc.pre(!differences.some(({ applies }) => applies(resource, one)))
      assert.deepEqual(ours(resource, one), theirs(resource, one))
    }),
    { numRuns: Number(process.env.FUZZ_CASES ?? 1_000) },
  )
})

/** As JSON carries it. */
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value))
