import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { type Operation, pathFields } from '#core/operation.ts'
import { startTestService, type TestAnswer, type TestService } from '#test/service.ts'
import {
  everyOperation,
  freeFields,
  hasBody,
  holdsFor,
  isFeed,
  isList,
  plain,
  type Schema,
} from './derived/every-operation.ts'
import { emptyPath } from './derived/rows.ts'
import { tokenFor, workerOf } from './derived/tokens.ts'
import { writesNothing } from './derived/written-rows.ts'

let service: TestService
before(async () => {
  service = await startTestService()
  // Before anything is counted: the worker, and the user whom some operations ask for.
  await workerOf(service, service.organization)
  for (const operation of everyOperation) await tokenFor(service, service.organization, operation)
})
after(() => service.close())

const body_bytes_max = 1_048_576
const nesting_levels = 100_000

const withBody = everyOperation.filter(hasBody)
const withQuery = everyOperation.filter((operation) => !hasBody(operation))

/** Runs checks and holds that none of the refused calls wrote anything. */
const refused = (which: readonly Operation[], check: (operation: Operation) => Promise<void>) =>
  writesNothing(service, [service.organization.id], () => holdsFor(which, check))

/** Sends a body as it is, byte by byte. */
async function sendRaw(
  operation: Operation,
  payload: string | Buffer,
  contentType: string | null = 'application/json',
  headers: Record<string, string> = {},
): Promise<TestAnswer> {
  const answer = await service.app.inject({
    // The cast holds because these are the methods of HTTP that the registry knows.
    method: operation.method as 'POST',
    url: `/rest/v2${emptyPath(operation)}`,
    headers: {
      authorization: `Bearer ${await tokenFor(service, service.organization, operation)}`,
      ...(contentType !== null && { 'content-type': contentType }),
      ...headers,
    },
    payload,
  })
  return { status: answer.statusCode, headers: answer.headers, body: JSON.parse(answer.body) }
}

const send = (operation: Operation, body: unknown) => sendRaw(operation, JSON.stringify(body))

async function ask(operation: Operation, query: string, body?: unknown): Promise<TestAnswer> {
  const token = await tokenFor(service, service.organization, operation)
  return service.call(operation.method, `${emptyPath(operation)}?${query}`, { token, body })
}

function assertRefused({ status, body }: TestAnswer, expected: string, pointer?: string): void {
  assert.equal(`${status} ${body.code}`, expected, JSON.stringify(body))
  if (pointer === undefined) return
  const pointers = (body.errors as { pointer: string }[]).map((error) => error.pointer)
  assert.ok(
    pointers.some((each) => each === pointer || each.startsWith(`${pointer}/`)),
    `${pointer} is not among ${pointers}`,
  )
}

test('an unknown field of a body is refused by name', () =>
  refused(withBody, async (operation) => {
    assertRefused(await send(operation, { no_such_field: 1 }), '400 validation_failed', '/no_such_field')
  }))

test('an unknown query parameter is refused by name', () =>
  refused(everyOperation, async (operation) => {
    const answer = await ask(operation, 'no_such_field=1', hasBody(operation) ? {} : undefined)
    assertRefused(answer, '400 validation_failed', '/no_such_field')
  }))

test('regression: a body that DELETE does not take is refused instead of being ignored', () =>
  refused(
    everyOperation.filter(({ method }) => method === 'DELETE'),
    async (operation) => {
      assertRefused(await send(operation, { force: true }), '400 validation_failed', '/force')
      assertRefused(await send(operation, {}), '404 not_found')
    },
  ))

test('a field of the path is refused in body and query', () =>
  refused(
    everyOperation.filter(({ path }) => path.includes(':')),
    async (operation) => {
      const [field = ''] = pathFields(operation.path)
      const id = crypto.randomUUID()
      const answer = hasBody(operation)
        ? await send(operation, { [field]: id })
        : await ask(operation, `${field}=${id}`)
      assertRefused(answer, '400 validation_failed', `/${field}`)
    },
  ))

test('names of the prototype are unknown fields like any other', () =>
  refused(everyOperation, async (operation) => {
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      const answers = hasBody(operation)
        ? [await sendRaw(operation, `{"${name}":{"polluted":true}}`)]
        : [await ask(operation, `${name}=1`), await ask(operation, `${name}=1&${name}=2`)]
      for (const answer of answers) assertRefused(answer, '400 validation_failed', `/${name}`)
    }
    assert.equal(({} as { polluted?: boolean }).polluted, undefined)
  }))

test('a value of another type is refused by the name of its field', () =>
  refused(withBody, async (operation) => {
    for (const field of freeFields(operation)) {
      const wrong = isObject(schemaOf(operation, field)) ? 7 : { wrong: true }
      assertRefused(await send(operation, { [field]: wrong }), '400 validation_failed', `/${field}`)
    }
  }))

test('a query value that its type cannot mean is refused by the name of its parameter', () =>
  refused(withQuery, async (operation) => {
    // Any text may be a cursor; whether it is one, is for the list to say.
    for (const field of freeFields(operation).filter((name) => name !== 'cursor')) {
      const answer = await ask(operation, `${field}=${impossible(schemaOf(operation, field))}`)
      assertRefused(answer, '400 validation_failed', `/${field}`)
    }
  }))

test('a scalar parameter given twice is refused', () =>
  refused(withQuery, async (operation) => {
    const scalars = freeFields(operation).filter((field) => schemaOf(operation, field).type !== 'array')
    for (const field of scalars) {
      assertRefused(await ask(operation, `${field}=1&${field}=1`), '400 validation_failed', `/${field}`)
    }
  }))

test('every text of an input has a length it may not exceed, and every list a number of items', () =>
  holdsFor(everyOperation, (operation) => {
    for (const field of Object.keys(operation.input.properties)) {
      assert.deepEqual(unbounded(schemaOf(operation, field), field), [])
    }
  }))

test('NUL characters and lone surrogates are refused by the name of their field', () =>
  refused(everyOperation, async (operation) => {
    const texts = hasBody(operation) ? ['"a\\u0000b"', '"a\\ud800b"', '"\\udc00"'] : []
    for (const field of freeFields(operation)) {
      for (const text of texts) {
        assertRefused(await sendRaw(operation, `{"${field}":${text}}`), '400 validation_failed', `/${field}`)
      }
      if (texts.length === 0)
        assertRefused(await ask(operation, `${field}=a%00b`), '400 validation_failed', `/${field}`)
    }
  }))

test('a method that a path does not know answers 405 and names those it knows', () =>
  refused(everyOperation, async ({ path }) => {
    const known = everyOperation.filter((other) => other.path === path).map(({ method }) => method as string)
    const allowed = (known.includes('GET') ? [...known, 'HEAD'] : known).sort().join(', ')
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((name) => !known.includes(name))) {
      const { status, body, headers } = await service.call(method, emptyPath({ path }))
      assert.equal(`${status} ${body.code} ${headers.allow}`, `405 method_not_allowed ${allowed}`, method)
    }
  }))

test('a body that is not declared as JSON answers 415', () =>
  refused(withBody, async (operation) => {
    const types = [
      'text/plain',
      'application/xml',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'text/json',
    ]
    for (const type of types) assertRefused(await sendRaw(operation, '{}', type), '415 unsupported_media_type')
  }))

test('a body that is not JSON, cut off or not UTF-8 answers 400', () =>
  refused(withBody, async (operation) => {
    const broken = ['{', '{"a":}', 'no json', "{'a':1}", '{}{}', 'NaN', Buffer.from([0x22, 0xc3, 0x28, 0x22])]
    const utf16 = Buffer.from('{}', 'utf16le')
    for (const text of [...broken, utf16]) assertRefused(await sendRaw(operation, text), '400 malformed_json')
  }))

test('a member that a body names twice is refused, at any depth', () =>
  refused(withBody, async (operation) => {
    for (const text of ['{"a":1,"a":1}', '{"a":1,"\\u0061":1}', '{"a":[{"b":{"c":1,"c":2}}]}']) {
      assertRefused(await sendRaw(operation, text), '400 malformed_json')
    }
  }))

test('a body in another charset, or packed, answers 415', () =>
  refused(withBody, async (operation) => {
    for (const charset of ['latin1', 'utf-16', '"us-ascii"']) {
      const answer = await sendRaw(operation, '{}', `application/json; charset=${charset}`)
      assertRefused(answer, '415 unsupported_media_type')
    }
    for (const coding of ['gzip', 'br', 'identity, gzip']) {
      const answer = await sendRaw(operation, gzipSync('{}'), 'application/json', { 'content-encoding': coding })
      assertRefused(answer, '415 unsupported_media_type')
      assert.equal(answer.headers['accept-encoding'], 'identity')
    }
  }))

test('a query that is not percent-encoded UTF-8 is refused by the name of its parameter', () =>
  refused(everyOperation, async (operation) => {
    for (const value of ['%ff', 'a%C3', '%', '%zz', '%ED%A0%80']) {
      const body = hasBody(operation) ? {} : undefined
      const answer = await ask(operation, `some_name=${value}`, body)
      assertRefused(answer, '400 validation_failed', '/some_name')
      assert.match(answer.body.errors[0].message, /percent-encoded UTF-8/, value)
    }
  }))

test('a path that is not percent-encoded UTF-8 answers 400', () =>
  refused(
    everyOperation.filter(({ path }) => path.includes(':')),
    async (operation) => {
      for (const id of ['%ff', '%C3', '%zz']) {
        const path = operation.path.replaceAll(/:[a-z_]+/g, id)
        const token = await tokenFor(service, service.organization, operation)
        const sent = hasBody(operation) ? { body: {} } : {}
        assertRefused(await service.call(operation.method, path, { token, ...sent }), '400 validation_failed')
      }
    },
  ))

test('a list of one where a parameter takes one value is refused', () =>
  refused(withQuery, async (operation) => {
    const scalars = freeFields(operation).filter((field) => schemaOf(operation, field).type !== 'array')
    for (const field of scalars) {
      assertRefused(await ask(operation, `${field}[]=1`), '400 validation_failed', `/${field}`)
    }
  }))

test('a body that is JSON but no object answers 400', () =>
  refused(withBody, async (operation) => {
    for (const text of ['[]', 'null', '1', '"text"', 'true']) {
      assertRefused(await sendRaw(operation, text), '400 validation_failed')
    }
  }))

test('a body of more than 1 MiB answers 413', () =>
  refused(withBody, async (operation) => {
    const text = `{"a":"${'x'.repeat(body_bytes_max)}"}`
    assertRefused(await sendRaw(operation, text), '413 body_too_large')
  }))

test('a body nested 100,000 levels deep answers 400', () =>
  refused(withBody, async (operation) => {
    const deep = `${'['.repeat(nesting_levels)}${']'.repeat(nesting_levels)}`
    for (const field of ['no_such_field', ...freeFields(operation)]) {
      assertRefused(await sendRaw(operation, `{"${field}":${deep}}`), '400 validation_failed')
      assertRefused(await sendRaw(operation, `{"${field}":{"a":${deep}}}`), '400 validation_failed')
    }
  }))

test('a change without a field is refused', () =>
  refused(
    everyOperation.filter(({ method }) => method === 'PATCH'),
    async (operation) => assertRefused(await send(operation, {}), '400 validation_failed'),
  ))

test('a malformed id in a path names nothing', () =>
  refused(
    everyOperation.filter(({ path }) => path.includes(':')),
    async (operation) => {
      for (const id of ['1', '%00', '..%2F..', '019CADC6-9A80-70DF-929E-750F1228D11D', 'x'.repeat(500)]) {
        const path = operation.path.replaceAll(/:[a-z_]+/g, id)
        const token = await tokenFor(service, service.organization, operation)
        const sent = hasBody(operation) ? { body: {} } : {}
        const { status, body } = await service.call(operation.method, path, { token, ...sent })
        assert.equal(`${status} ${body.code}`, '404 not_found', id)
      }
    },
  ))

test('every input refuses what it does not name, in nested objects too', () =>
  holdsFor(everyOperation, (operation) => {
    assert.deepEqual(openObjects(plain(operation.input), ''), [])
  }))

test('every list takes limit, cursor and updated_after; rows of a feed do not change', () =>
  holdsFor(everyOperation.filter(isList), (operation) => {
    const fields = ['limit', 'cursor', ...(isFeed(operation) ? [] : ['updated_after'])]
    const named = fields.filter((name) => !(name in operation.input.properties))
    assert.deepEqual(named, [])
  }))

function schemaOf(operation: Operation, field: string): Schema {
  return (plain(operation.input).properties as Record<string, Schema>)[field] ?? {}
}

function isObject(schema: Schema): boolean {
  const alternatives = (schema.anyOf ?? [schema]) as Schema[]
  return alternatives.some(({ type }) => type === 'object')
}

/** A query text that no value of this schema has. */
function impossible(schema: Schema): string {
  if (schema.type === 'array') return impossible(schema.items as Schema)
  const isPlain = schema.type === 'string' && !schema.pattern && !schema.format
  return isPlain ? 'x'.repeat(Number(schema.maxLength) + 1) : '%01'
}

function unbounded(schema: Schema, at: string): string[] {
  if (Array.isArray(schema.anyOf)) return schema.anyOf.flatMap((each) => unbounded(each as Schema, at))
  if (schema.type === 'array') {
    return [...(schema.maxItems === undefined ? [at] : []), ...unbounded(schema.items as Schema, `${at}[]`)]
  }
  if (schema.type === 'object') {
    const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>)
    return properties.flatMap(([name, child]) => unbounded(child, `${at}.${name}`))
  }
  if (schema.type === 'string') return schema.maxLength === undefined && !boundedByPattern(schema) ? [at] : []
  if (schema.type === 'integer' || schema.type === 'number') {
    return schema.minimum === undefined || schema.maximum === undefined ? [at] : []
  }
  return []
}

/** A pattern without `*`, `+` and open repetition has an end of its own. */
function boundedByPattern({ pattern }: Schema): boolean {
  return (
    typeof pattern === 'string' && /^\^.*\$$/.test(pattern) && !/[*+]|\{\d+,\}/.test(pattern.replaceAll(/\\./g, ''))
  )
}

function openObjects(schema: Schema, at: string): string[] {
  const children = [
    ...Object.entries((schema.properties ?? {}) as Record<string, Schema>),
    ...((schema.anyOf ?? []) as Schema[]).map((each): [string, Schema] => ['', each]),
    ...(schema.items ? [['[]', schema.items as Schema] as [string, Schema]] : []),
  ]
  const isOpen =
    schema.type === 'object' && schema.additionalProperties !== false && schema.patternProperties === undefined
  return [...(isOpen ? [at] : []), ...children.flatMap(([name, child]) => openObjects(child, `${at}/${name}`))]
}
