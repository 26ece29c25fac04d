import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { matches, parseFilter } from '#scim/filter.ts'
import type { Resource } from '#scim/resource.ts'
import { enterprise_schema, user_type } from '#scim/schema.ts'
import { startTestService, type TestService } from '#test/service.ts'

let service: TestService
let everybody: Resource[]

const enterprise = enterprise_schema.id
const words = ['ann', 'Bob', 'BOB', 'b%b', 'b_b', 'a\\b', 'Zoë', "o'hara", 'nn'] as const
const kinds = ['work', 'home', 'other'] as const
const word = fc.constantFrom(...words)
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })

const person = fc.record({
  title: maybe(word),
  displayName: maybe(word),
  nickName: maybe(word),
  externalId: maybe(word),
  active: fc.boolean(),
  name: maybe(fc.record({ givenName: maybe(word), familyName: maybe(word), middleName: maybe(word) })),
  emails: fc.array(fc.record({ value: word, type: maybe(fc.constantFrom(...kinds)), primary: maybe(fc.boolean()) }), {
    maxLength: 3,
  }),
  roles: fc.array(fc.record({ value: word, display: maybe(word) }), { maxLength: 2 }),
  [enterprise]: maybe(fc.record({ costCenter: maybe(word), manager: maybe(fc.record({ value: word })) })),
})

before(async () => {
  service = await startTestService()
  // Always the same people: what differs between runs are the filters.
  for (const [at, one] of fc.sample(person, { numRuns: 40, seed: 7 }).entries()) {
    // A person with a manager is nobody's: managers may not go round in a circle.
    const { externalId, ...others } = one
    const body = Object(one[enterprise]).manager ? others : { ...others, externalId }
    await scim('POST', '/Users', { userName: `${words[at % words.length]}-${at}`, ...body })
  }
  everybody = (await scim('GET', '/Users?count=200')).Resources
  assert.equal(everybody.length, 40)
})
after(() => service.close())

async function scim(method: 'GET' | 'POST', path: string, body?: object) {
  const answer = await service.app.inject({
    ...{ method, url: `/scim/v2${path}` },
    headers: { authorization: `Bearer ${service.organization.token}`, 'content-type': 'application/scim+json' },
    ...(body && { payload: JSON.stringify(body) }),
  })
  assert.ok(answer.statusCode < 300, `${path} ${answer.body}`)
  return answer.json()
}

const texts = [
  ...[
    'userName',
    'title',
    'displayName',
    'nickName',
    'externalId',
    'name.givenName',
    'name.middleName',
    'name.formatted',
  ],
  ...[
    'emails',
    'emails.value',
    'emails.type',
    'roles.display',
    'groups.value',
    'phoneNumbers',
    `${enterprise}:costCenter`,
    `${enterprise}:manager`,
  ],
]
const booleans = ['active', 'emails.primary']
const literal = word.map((text) => JSON.stringify(text))
const ofText = (path: fc.Arbitrary<string>) =>
  fc.oneof(
    fc
      .tuple(path, fc.constantFrom('eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'), literal)
      .map((parts) => parts.join(' ')),
    path.map((name) => `${name} pr`),
    fc.tuple(path, fc.constantFrom('eq null', 'ne null')).map((parts) => parts.join(' ')),
  )
const ofBoolean = (path: fc.Arbitrary<string>) =>
  fc.tuple(path, fc.constantFrom('eq true', 'eq false', 'ne true', 'ne false', 'pr')).map((parts) => parts.join(' '))
const time = fc
  .tuple(
    fc.constantFrom('meta.created', 'meta.lastModified'),
    fc.constantFrom('gt', 'le', 'eq', 'ne'),
    fc.constantFrom('2026-03-02T09:00:00.000Z', '2026-03-02T09:00:00.010Z', '2030-01-01T00:00:00+02:00'),
  )
  .map(([name, operator, value]) => `${name} ${operator} "${value}"`)
const part = fc.oneof(ofText(fc.constantFrom('value', 'type', 'display')), ofBoolean(fc.constant('primary')))
const inner = fc.oneof(
  part,
  fc.tuple(part, fc.constantFrom(' and ', ' or '), part).map((parts) => parts.join('')),
  part.map((one) => `not (${one})`),
)
const element = inner.map((one) => `emails[${one}]`)
const { filter } = fc.letrec<{ filter: string }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    ofText(fc.constantFrom(...texts)),
    ofBoolean(fc.constantFrom(...booleans)),
    time,
    element,
    fc.tuple(tie('filter'), fc.constantFrom('and', 'or'), tie('filter')).map(([a, word, b]) => `(${a}) ${word} (${b})`),
    tie('filter').map((one) => `not (${one})`),
  ),
}))

test('the database finds whom the evaluator finds', async () => {
  await fc.assert(
    fc.asyncProperty(filter, async (text) => {
      const found = await scim('GET', `/Users?count=200&attributes=id&filter=${encodeURIComponent(text)}`)
      const wanted = everybody.filter((one) => matches(parseFilter(user_type, text), one))
      assert.deepEqual(
        found.Resources.map(({ id }: { id: string }) => id),
        wanted.map(({ id }) => id),
      )
    }),
    { numRuns: Number(process.env.FUZZ_RUNS ?? 300) },
  )
})
