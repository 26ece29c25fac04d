import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { SensitiveCategory } from '#core/caller.ts'
import { isMutation, type Operation, pathFields } from '#core/operation.ts'
import { sensitiveCategories } from '#identity/scopes.ts'
import { type Body, memberToken, workerToken } from '#test/factories.ts'
import type { TestOrganization, TestService } from '#test/service.ts'
import { callTool, createMember } from '#test/tool-client.ts'
import { verifies } from '#test/verifies.ts'
import { startWebhookBench, type WebhookBench } from '#test/webhook-bench.ts'
import { createSequencer } from '#webhooks/feed/sequencer.ts'
import {
  everyOperation,
  freeFields,
  hasBody,
  holdsFor,
  isList,
  isWorkers,
  plain,
  registered,
  registry,
} from './derived/every-operation.ts'
import { realPath, referredRow } from './derived/rows.ts'
import { sampleInput } from './derived/sample-input.ts'
import {
  byAll,
  callers,
  compare,
  placeOf,
  type Seen,
  values,
  type Without,
  withheld,
  words,
} from './derived/sensitive-compare.ts'
import { at, eachMark, nulled, type Place, placesOf } from './derived/sensitive-fields.ts'
import { labels, type Story, tell } from './derived/sensitive-story.ts'
import {
  by_the_domain,
  changes,
  everyField,
  fieldsByCategory,
  files,
  isSensitive,
  nameOf,
  namesIn,
  posting,
  reads,
  repeatable,
  type Shown,
  shownOf,
  surfaces,
  told,
  tools,
} from './derived/sensitive-surfaces.ts'
import { of_users } from './derived/tokens.ts'

/**
 * Every sensitive field on every surface. The definitions say which field a surface shows; there its value is seen with
 * the category and null without it, each category by itself. Where a surface does not show a field by its definition,
 * nothing that it says holds the value. No cell of the two is left over.
 */

let bench: WebhookBench
let service: TestService
let ours: TestOrganization
let story: Story
const tokens = new Map<Without, string>()
const members = new Map<Without, string>()
const subscriptions = new Map<Without, string>()

before(async () => {
  bench = await startWebhookBench({ WEBHOOK_MAX_SUBSCRIPTIONS: '1000' })
  service = bench.service
  ours = await service.createOrganization({ is_sandbox: true })
  const events = [...registry.events.keys()]
  for (const without of callers) {
    const sensitive_data = sensitiveCategories.filter((category) => category !== without)
    const rights = { sensitive_data, is_sandbox: true }
    tokens.set(without, await service.createToken(ours.id, rights))
    members.set(without, (await createMember(service, { organization_id: ours.id, ...rights })).token)
    subscriptions.set(without, await subscribe({ url: `${bench.receiver.url}/${without}`, events, sensitive_data }))
  }
  await subscribe({ url: thin_url(), events, sensitive_data: [...sensitiveCategories], payload: 'thin' })
  story = await tell(service, ours, await memberToken(service, 'owner', ours.id))
})
after(() => bench.close())

const thin_url = () => `${bench.receiver.url}/thin`

async function subscribe(body: object): Promise<string> {
  const { status, body: subscribed } = await service.call('POST', '/webhooks', { token: ours.token, body })
  assert.equal(status, 201, JSON.stringify(subscribed))
  return subscribed.id
}

const call = async (without: Without, method: string, path: string, rest: object = {}) => {
  const answer = await service.call(method, path, { token: tokens.get(without) ?? '', ...rest })
  const text = `${JSON.stringify(answer.body)} ${JSON.stringify(answer.headers)}`
  if (answer.status >= 400 && without) words.push({ surface: 'refusal', without, text })
  return { ...answer, text }
}

/** The path of an operation with rows of the story, or with rows of its own where the story has none. */
async function pathOf(operation: Operation): Promise<string> {
  const names = pathFields(operation.path)
  if (!names.every((name) => name in story.ids)) return realPath(service, ours, operation)
  return names.reduce<string>((path, name) => path.replace(`:${name}`, story.ids[name] ?? ''), operation.path)
}

interface Change {
  operation: Operation
  path: string
  body: Body
}

/** Changes by an operation: of a row of its own by a sample, and of the rows of the story. */
async function changesBy(operation: Operation): Promise<Change[]> {
  const sample = await sampleInput(service, operation, (field) => referredRow(service, ours, field))
  const own = { operation, path: await realPath(service, ours, operation), body: sample }
  const others = story.changes.filter(([id]) => id === operation.id)
  return [own, ...others.map(([, path, body]) => ({ operation, path, body }))]
}

/** The arguments of a tool that makes this change. */
function argumentsOf({ operation, path, body }: Change): object {
  const [segments, given] = [operation.path.split('/'), path.split('/')]
  const ids = pathFields(operation.path).map((name) => [name, given[segments.indexOf(`:${name}`)]])
  return { ...Object.fromEntries(ids), ...body }
}

describe('each sensitive field, with its category and without', () => {
  test('in the answer of every read, and nowhere in those that show none', () =>
    holdsFor(
      reads.filter((operation) => !isWorkers(operation)),
      async (operation) => {
        const path = await pathOf(operation)
        const see = await byAll((without) => call(without, 'GET', path))
        if (see(null).status >= 400) return
        if (!isSensitive(operation)) {
          const surface = operation.id === 'audit.list' ? 'audit' : 'other reads'
          // The examples of the catalogue are the same for everybody.
          if (operation.id === 'webhooks.list_event_types') return
          for (const without of sensitiveCategories) words.push({ surface, without, text: see(without).text })
          return
        }
        const isRefused = ({ status, body }: Body) => `${status} ${body.code}` === '403 sensitive_data_required'
        await compare('answer', shownOf(operation), (without) => (isRefused(see(without)) ? null : see(without)))
        assert.equal(see(null).headers['sensitive-data-withheld'], undefined)
        for (const without of registered(operation).sensitive.categories as SensitiveCategory[]) {
          const named = String(see(without).headers['sensitive-data-withheld']).split(', ')
          assert.ok(named.includes(without) || isRefused(see(without)))
        }
      },
    ))

  test('in the answer of every change, and in what its dry run would tell and book', () =>
    holdsFor(changes, async (operation) => {
      const credentials = of_users.has(operation.id) ? members : tokens
      for (const { path, body } of await changesBy(operation)) {
        const rest = { ...(hasBody(operation) && { body }), headers: { 'stint-dry-run': 'true' } }
        const see = await byAll((without) =>
          call(without, operation.method, path, { ...rest, token: credentials.get(without) }),
        )
        const ifDone = (without: Without, part: (body: Body) => Body) => {
          const { status, body, text } = see(without)
          return status < 300 ? { body: part(body), text } : null
        }
        await compare('change', shownOf(operation), (without) => ifDone(without, ({ dry_run: _, ...row }) => row), true)
        for (const [place, { type }] of (see(null).body.dry_run?.events ?? []).entries()) {
          const shown = told.find(({ by }) => by === type)
          const entryOf = ({ dry_run }: Body) => dry_run.events[place].entry
          if (shown) await compare('dry run', shown, (without) => ifDone(without, entryOf), true)
        }
        for (const place of (see(null).body.dry_run?.postings ?? []).keys()) {
          await compare(
            'dry run',
            posting,
            (without) => ifDone(without, ({ dry_run }) => dry_run.postings[place]),
            true,
          )
        }
      }
    }))

  test('in the answer of every tool, as data and in words', () =>
    holdsFor(tools.filter(isSensitive), async (operation) => {
      const is_change = isMutation(operation)
      const given = is_change ? await changesBy(operation) : [{ operation, path: await pathOf(operation), body: {} }]
      for (const change of given) {
        const args = { ...argumentsOf(change), ...(is_change && { dry_run: true }) }
        const see = await byAll((without) =>
          callTool(service, members.get(without) ?? '', operation.tool?.name ?? '', args),
        )
        await compare(
          'tool',
          shownOf(operation),
          (without) => {
            const { isError, structuredContent, content } = see(without)
            if (isError && without) words.push({ surface: 'refusal', without, text: content[0].text })
            if (isError) return null
            const { withheld: named, dry_run: _, ...body } = structuredContent
            // So that nobody takes what is withheld for empty.
            const expected = registered(operation).sensitive.categories.filter((category) => category === without)
            assert.deepEqual(Object.keys(named ?? {}).slice(0, expected.length), expected)
            assert.ok(Object.keys(named ?? {}).every((category) => category === without))
            assert.deepEqual(JSON.parse(content[0].text).withheld, named)
            return { body, text: JSON.stringify([structuredContent, content]) }
          },
          is_change,
        )
      }
    }))

  test('in what a worker reads and writes by a token that a caller with fewer categories minted', async () => {
    const filled = (path: string) => path.replace(/:([a-z_]+)/g, (_, name) => story.ids[name] ?? '')
    const own = reads.filter(isWorkers).map(({ id, path }) => [id, 'GET', filled(path), undefined] as const)
    const written = story.worker_changes.map(([id, path, body]) => {
      const { method } = registry.operation(id).definition
      return [id, method, path, { body, headers: { 'stint-dry-run': 'true' } }] as const
    })
    const see = await byAll(async (without) => {
      const token = await mintedBy(without)
      const answers = new Map<string, Seen>()
      for (const [id, method, path, rest] of [...own, ...written]) {
        const { status, body, text } = await call(without, method, path, { token, ...rest })
        if (without && body.code === 'sensitive_data_required') continue
        assert.ok(status < 300, `${id}: ${text}`)
        const { dry_run: _, ...row } = body
        answers.set(id, { body: row, text })
      }
      return answers
    })
    for (const [id, method] of [...own, ...written]) {
      const shown = shownOf(registry.operation(id).definition)
      await compare('worker', shown, (without) => see(without).get(id) ?? null, method !== 'GET')
    }
  })

  test('in what is delivered, and in the history of it', async () => {
    while ((await service.dispatcher.runDue()) > 0);
    const sent = new Map(
      bench.receiver.requests.map(({ path, body }) => {
        const event = JSON.parse(String(body))
        return [`${path} ${event.data.meta.event_id}`, event]
      }),
    )
    for (const [key, event] of sent) {
      const without = sensitiveCategories.find((category) => key.startsWith(`/hook/${category} `))
      if (without) words.push({ surface: 'webhook', without, text: JSON.stringify(event) })
    }
    const thin = [...sent].filter(([key]) => key.startsWith('/hook/thin '))
    assert.ok(thin.length > 0)
    for (const without of sensitiveCategories) words.push({ surface: 'webhook', without, text: JSON.stringify(thin) })
    const path = `/webhooks/${subscriptions.get(null)}/deliveries`
    const deliveries: Body[] = []
    for (const { by: event_types } of told) {
      deliveries.push(...(await call(null, 'GET', path, { query: { event_types, limit: 100 } })).body.data)
    }
    for (const { id, event_id, event_type } of deliveries) {
      const shown = payloadOf(event_type)
      await compare('webhook', shown, (without) => ({ body: sent.get(`/hook/${without} ${event_id}`) ?? null }))
      await compare('history', shown, async (without) => {
        const { body, text } = await call(without, 'GET', `${path}/${id}`)
        const whole = sent.get(`/hook/null ${event_id}`)
        if (without === null) return { body: JSON.parse(body.body.text) }
        assert.equal(body.body, null, 'bytes that hold a category are shown whole or not at all')
        const hidden = placesOf(shown.schema, whole).filter(({ category }) => category === without)
        return { body: nulled(whole, hidden), text }
      })
    }
  })

  test('in the feed of events', async () => {
    await createSequencer(service.database.database, service.runtime.log).runDue()
    const see = await byAll(async (without) => {
      const events = new Map<string, Seen>()
      for (let cursor: string | undefined; ; ) {
        const query = cursor && { cursor }
        const { body } = await call(without, 'GET', '/events', { query })
        if (without) words.push({ surface: 'feed', without, text: JSON.stringify(body) })
        for (const event of body.data) events.set(event.data.meta.event_id, { body: event })
        cursor = body.cursor
        if (!body.has_more) return events
      }
    })
    for (const [id, { body }] of see(null)) {
      if (!told.some(({ by }) => by === body.data.meta.event_type)) continue
      const shown = payloadOf(body.data.meta.event_type)
      await compare('feed', shown, (without) => see(without).get(id) ?? null)
      await compare('feed', shown, async (without) => ({
        body: (await call(without, 'GET', `/events/${id}`)).body.event,
      }))
    }
  })

  test('in the columns of every export, which are empty', () =>
    holdsFor(files('text/csv'), (operation) =>
      compare('export', shownOf(operation), async (without) => {
        const answer = await call(without, 'GET', operation.path, { query: period() })
        assert.equal(answer.status, 200)
        return { body: rowsOf(answer.body), text: answer.text }
      }),
    ))

  test('in print, which is refused without compensation and has a dash in the place of what else is withheld', () =>
    holdsFor(files('application/pdf'), async (operation) => {
      const { by, schema } = shownOf(operation)
      const path = await pathOf(operation)
      const whole = (await call(null, 'GET', path.replace(/\/pdf$/, ''))).body
      const caller = { organization_id: crypto.randomUUID() }
      const print = async (places: Place[]) =>
        String(Buffer.from((await operation.file?.write(nulled(whole, places) as never, caller)) ?? ''))
      const see = await byAll((without) => call(without, 'GET', path))
      assert.equal(see(null).body, await print([]))
      for (const place of placesOf(schema, whole)) {
        if (at(whole, place.path) === null) continue
        assert.notEqual(await print([place]), see(null).body, `${placeOf(place)} is not printed`)
        const { status, body } = see(place.category as SensitiveCategory)
        const hidden = placesOf(schema, whole).filter(({ category }) => category === place.category)
        if (place.category === 'compensation') assert.equal(`${status} ${body.code}`, '403 sensitive_data_required')
        else assert.equal(body, await print(hidden))
        withheld.add(`print: ${nameOf(place.schema, by, placeOf(place))}`)
      }
    }))

  test('in a repeat of a call that another credential made', () =>
    holdsFor(repeatable.filter(isSensitive), async (operation) => {
      for (const { path, body } of await changesBy(operation)) {
        const rest = { body, headers: { 'idempotency-key': crypto.randomUUID() } }
        const see = await byAll((without) => call(without, operation.method, path, rest))
        if (see(null).status >= 300) continue
        await compare('replay', shownOf(operation), (without) => {
          const { status, body: answer } = see(without)
          const { sensitive } = registered(operation)
          const granted = new Set(sensitiveCategories.filter((category) => category !== without))
          // A value that is withheld cannot be guessed by repeating the call.
          if (without && sensitive.names(body, granted)) {
            assert.equal(`${status} ${answer.code}`, '422 idempotency_key_reused')
            const hidden = placesOf(plain(operation.output), see(null).body, labels)
            return {
              body: nulled(
                see(null).body,
                hidden.filter(({ category }) => category === without),
              ),
            }
          }
          assert.equal(see(without).headers['idempotent-replayed'], without === null ? undefined : 'true')
          return see(without)
        })
      }
    }))
})

/** The worker's token, which sees what the credential sees that minted it. */
const mintedBy = (without: Without) =>
  workerToken(service, story.ids.person_id ?? '', { token: tokens.get(without) ?? '' })

function payloadOf(event_type: string): Shown {
  const entry = told.find(({ by }) => by === event_type)
  assert.ok(entry, event_type)
  const resource = { items: entry.schema }
  return { by: event_type, schema: { properties: { data: { properties: { resource } } } } }
}

function period() {
  const day = (days: number) => new Date(service.clock.now() + days * 86_400_000).toISOString().slice(0, 10)
  return { from: day(-60), to: day(60) }
}

/** Rows of a CSV without quoted cells; an empty cell is null. */
function rowsOf(csv: string): Body[] {
  const [header = [], ...rows] = csv
    .trim()
    .split('\r\n')
    .map((line) => line.split(','))
  return rows.map((cells) => Object.fromEntries(header.map((name, place) => [name, cells[place] || null])))
}

test('the fields of each category are those of the domain', () => {
  const written = Object.entries(by_the_domain).flatMap(([category, of]) =>
    Object.entries(of).map(([noun, names]) => [`${category} ${noun}`, names] as const),
  )
  const found = [...fieldsByCategory()].map(([key, names]) => [key, [...names].sort().join(' ')])
  assert.deepEqual(Object.fromEntries(found), Object.fromEntries(written))
})

test('every cell of field and surface is accounted for', () => {
  const fields = everyField()
  const all = Object.entries(surfaces).flatMap(([surface, shown]) => {
    const names = new Set(shown.flatMap(namesIn))
    return fields.map((field) => ({ cell: `${surface}: ${field}`, is_shown: names.has(field) }))
  })
  assert.equal(all.length, fields.length * Object.keys(surfaces).length)
  const shown = all.filter(({ is_shown }) => is_shown).map(({ cell }) => cell)
  verifies('5.1.token-sensitive-data').deepEqual([...withheld].sort(), shown.sort())
  for (const field of fields)
    assert.ok(
      shown.some((cell) => cell.endsWith(`: ${field}`)),
      `${field} is shown nowhere`,
    )
})

/** Times that something took are numbers, which may look like an amount by chance; amounts are texts. */
const wordsOnly = (_: string, value: unknown) => (typeof value === 'number' ? null : value)

test('no caller is told in any words what is withheld, and no log line holds it', () => {
  // Line by line, so that a leak names its own.
  const lines = service.logged.map((line) => JSON.stringify(JSON.parse(line), wordsOnly))
  for (const without of sensitiveCategories) for (const text of lines) words.push({ surface: 'log', without, text })
  for (const surface of Object.keys(surfaces)) {
    const spoken = ['replay', 'webhook', 'feed', 'history', 'export', 'print'].includes(surface)
    assert.ok(spoken || words.some((each) => each.surface === surface), `nothing was said in ${surface}`)
  }
  const leaks = words.flatMap(({ surface, without, text }) =>
    [...(values.get(without) ?? [])]
      .filter((value) => text.includes(value))
      .map((value) => `${surface} without ${without}: ${value} in ${text.slice(0, 300)}`),
  )
  for (const category of sensitiveCategories) assert.ok((values.get(category)?.size ?? 0) > 0, category)
  assert.deepEqual(leaks.slice(0, 10), [])
})

test('a filter on a sensitive field is refused without its category, and no list is ordered by what its caller chooses', async () => {
  const lists = everyOperation.filter(isList)
  assert.deepEqual(
    lists.flatMap(freeFields).filter((name) => /sort|order/.test(name)),
    [],
  )
  const filters = lists.flatMap((operation) => {
    const marked = new Map<string, unknown>()
    eachMark(plain(operation.output), (mark, place) => marked.set(place.split('.').at(-1) ?? '', mark['x-sensitive']))
    return freeFields(operation).flatMap((name) => {
      const category = marked.get(name.replace(/(_ids?|s|_from|_to|_min|_max)$/, ''))
      return category ? [{ operation, name, category: category as SensitiveCategory }] : []
    })
  })
  assert.deepEqual(
    [...new Set(filters.map(({ operation }) => operation.id))],
    ['time_offs.list', 'worker.list_time_offs'],
  )
  for (const { operation, name, category } of filters) {
    const query = { [name]: name === 'policy_id' ? story.ids.time_off_policy_id : 'sick' }
    for (const without of [null, category] as const) {
      const token = isWorkers(operation) ? { token: await mintedBy(without) } : {}
      const { status, body } = await call(without, 'GET', operation.path, { query, ...token })
      if (without) assert.equal(`${status} ${body.code}`, '403 sensitive_data_required', operation.id)
      else assert.ok(body.total_count > 0)
    }
  }
})

test('no search finds a row by a sensitive value, whoever searches', () =>
  holdsFor(
    reads.filter((operation) => 'search' in operation.input.properties),
    async (operation) => {
      for (const value of new Set([...values.values()].flatMap((each) => [...each]))) {
        const { status, body } = await call(null, 'GET', operation.path, { query: { search: value.slice(0, 100) } })
        assert.equal(status === 400 || body.total_count === 0, true, `${value} is found`)
      }
    },
  ))
