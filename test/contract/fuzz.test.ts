import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Operation, pathFields, problemsOf } from '#core/operation.ts'
import { methodNotAllowed, notFound } from '#core/problems.ts'
import type { TestAnswer } from '#test/service.ts'
import { inputsOf } from './derived/arbitrary.ts'
import { contractService } from './derived/contract-service.ts'
import { everyOperation, hasBody, holdsFor, plain, type Schema } from './derived/every-operation.ts'
import { realPath, referredRow } from './derived/rows.ts'
import { sampler } from './derived/sample-input.ts'
import { tokenFor } from './derived/tokens.ts'
import { countWrites } from './derived/written-rows.ts'

/** Cases over all operations together; CI runs 10,000. */
const cases = Number(process.env.FUZZ_CASES ?? 1_000)

/** fast-check prints the seed of a failure; given here, it plays the same cases again. */
const seed = process.env.FUZZ_SEED === undefined ? {} : { seed: Number(process.env.FUZZ_SEED) }

const cases_each = Math.ceil(cases / everyOperation.length)

/** New rows per operation; an amendment to sign takes 28 ms, and every subscription makes each event dearer. */
const renewals_max = Math.min(10, Math.ceil(cases_each / 4))

const { service, ours, theirs } = await contractService()
const fields = ['contract_id', 'person_id', 'team_id', 'legal_entity_id', 'webhook_id']
const writes = await countWrites(service)
const ids = await Promise.all(
  [ours, theirs].flatMap((owner) => fields.map((field) => referredRow(service, owner, field))),
)

test(`no input makes an operation fail: ${cases} cases, each answered in its terms, and a refusal writes nothing`, () =>
  holdsFor(everyOperation, async (operation) => {
    const token = await tokenFor(service, ours, operation)
    const sample = await sampler(service, operation, (field) => referredRow(service, ours, field))
    let path = await realPath(service, ours, operation)
    let renewed = 0
    let written = await writes()
    await fc.assert(
      fc.asyncProperty(inputsOf(freeInput(operation), ids, sample), async (input) => {
        const answer = await send(operation, path, token, input)
        assertAnswer(operation, answer)
        if (operation.method === 'GET') return
        if (answer.status >= 400) return assert.equal(await writes(), written, 'a refusal wrote something')
        // A row that has moved on refuses most of what follows, so a success is followed by a new row.
        if (renewed++ < renewals_max) path = await realPath(service, ours, operation)
        written = await writes()
      }),
      { numRuns: cases_each, ...seed },
    )
  }))

function freeInput({ path, input }: Operation): Schema {
  const inPath = pathFields(path)
  const { properties, required, ...rest } = plain(input) as { properties: Record<string, Schema>; required?: string[] }
  const free = Object.entries(properties).filter(([name]) => !inPath.includes(name))
  return {
    ...rest,
    properties: Object.fromEntries(free),
    required: (required ?? []).filter((name) => !inPath.includes(name)),
  }
}

async function send(
  { method, ...operation }: Operation,
  path: string,
  token: string,
  input: Record<string, unknown>,
): Promise<TestAnswer> {
  const withBody = hasBody({ method, ...operation })
  const answer = await service.app.inject({
    // The cast holds because these are the methods of HTTP that the registry knows.
    method: method as 'POST',
    url: `/rest/v2${path}${withBody ? '' : `?${queryOf(input)}`}`,
    headers: { authorization: `Bearer ${token}`, ...(withBody && { 'content-type': 'application/json' }) },
    ...(withBody && { payload: JSON.stringify(input) }),
  })
  return {
    status: answer.statusCode,
    headers: answer.headers,
    body: String(answer.headers['content-type']).includes('json') ? JSON.parse(answer.body) : null,
  }
}

function queryOf(input: Record<string, unknown>): string {
  const pairs = Object.entries(input).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((each) => `${escaped(name)}=${escaped(textOf(each))}`),
  )
  return pairs.join('&')
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

/** Half a surrogate pair has no form in a URL; these bytes are what a careless client sends for it. */
const escaped = (text: string) => (text.isWellFormed() ? encodeURIComponent(text) : '%ED%A0%80')

function assertAnswer(operation: Operation, { status, headers, body }: TestAnswer): void {
  assert.ok(status < 500, `answered ${status}: ${service.logged.at(-1)}`)
  if (status < 400) return
  assert.match(String(headers['content-type']), /^application\/problem\+json/)
  const known = [...problemsOf(operation), notFound, methodNotAllowed].map(({ definition }) => definition)
  const definition = known.find(({ code }) => code === body.code)
  assert.ok(definition, `${body.code} is not a problem of this operation`)
  assert.deepEqual(
    [body.status, body.title, body.type, typeof body.detail, typeof body.request_id],
    [status, definition.title, `https://stint.test/docs/problems/${body.code}`, 'string', 'string'],
  )
  for (const error of body.errors ?? []) {
    assert.deepEqual(Object.keys(error), ['pointer', 'message'])
    assert.ok(error.message.length > 0)
  }
}
