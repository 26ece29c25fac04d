import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Operation } from '#core/operation.ts'
import { line_pattern, lines_pattern } from '#core/values.ts'
import { startTestService, type TestService } from '#test/service.ts'
import { everyOperation, freeFields, hasBody, holdsFor, plain, type Schema } from './derived/every-operation.ts'
import { emptyPath } from './derived/rows.ts'
import { tokenFor, workerOf } from './derived/tokens.ts'
import { writesNothing } from './derived/written-rows.ts'

let service: TestService
before(async () => {
  service = await startTestService()
  await workerOf(service, service.organization)
})
after(() => service.close())

/** A text somewhere in an input: its field names from the top, `0` for the item of a list. */
interface Text {
  path: string[]
  schema: Schema
}

/** Texts whose form something else than the schema decides, with what does. */
const judged_elsewhere: Record<string, string> = {
  cursor: 'signed by us',
  event_type: 'the catalogue of events',
  event_types: 'the catalogue of events',
  events: 'the catalogue of events',
  modules: 'the catalogue of events',
  url: 'the rules of addresses',
  redirect_uris: 'the rules of redirect addresses',
  jwks_uri: 'the rules of addresses',
  jwks: 'the key is read',
  scopes: 'the list of scopes',
}

const isClean = ({ schema }: Text) => schema.pattern === line_pattern || schema.pattern === lines_pattern

test('every free text of every input is one line or several lines, clean by one rule', () =>
  holdsFor(everyOperation, (operation) => {
    const others = textsOf(operation).filter((text) => !isClean(text))
    const free = others.filter(({ schema, path: [field = ''] }) => {
      return !('format' in schema || 'pattern' in schema || field in judged_elsewhere)
    })
    assert.deepEqual(
      free.map(({ path }) => path.join('/')),
      [],
    )
  }))

const unclean = ['\u0007', '\t', '\u007f', '\u0085', '\u2028', '\u202e', '\u2067', '\u200f', '\u061c']

test('no text takes a control character, a mark of direction or only what cannot be seen', () =>
  refusedAt(isClean, ({ schema }) => [
    ...unclean.map((character) => `Harbour${character}Ltd`),
    ...(schema.pattern === line_pattern ? ['Harbour\nLtd', 'Harbour\r\nLtd'] : []),
    '\u200b\u200b',
    '\u3164\u3164',
  ]))

test('no e-mail address has a quoted local part, an address literal or a domain without a dot', () =>
  refusedAt(
    ({ schema }) => schema.format === 'email',
    () => ['ada@localhost', '"ada b"@harbour.example', 'ada@[192.0.2.1]', `${'a'.repeat(65)}@harbour.example`],
  ))

/** Sends each text in its place and holds that each is refused by the name of its field, and that nothing was written. */
function refusedAt(which: (text: Text) => boolean, bad: (text: Text) => string[]): Promise<void> {
  const having = everyOperation.filter((operation) => textsOf(operation).some(which))
  return writesNothing(service, [service.organization.id], () =>
    holdsFor(having, async (operation) => {
      const token = await tokenFor(service, service.organization, operation)
      for (const text of textsOf(operation).filter(which)) {
        for (const value of bad(text)) {
          const { path } = text
          const query = hasBody(operation) ? '' : `?${path[0]}=${encodeURIComponent(value)}`
          const body = hasBody(operation) ? { body: inPlace(path, value) } : {}
          const answer = await service.call(operation.method, `${emptyPath(operation)}${query}`, { token, ...body })
          const seen = `${path.join('/')} ${JSON.stringify(value)}: ${JSON.stringify(answer.body)}`
          assert.equal(`${answer.status} ${answer.body.code}`, '400 validation_failed', seen)
          const pointers = (answer.body.errors as { pointer: string }[]).map(({ pointer }) => pointer)
          assert.ok(pointers.includes(`/${path.join('/')}`), seen)
        }
      }
    }),
  )
}

function inPlace([name = '', ...rest]: readonly string[], value: string): unknown {
  const inner = rest.length === 0 ? value : inPlace(rest, value)
  return name === '0' ? [inner] : { [name]: inner }
}

function textsOf(operation: Operation): Text[] {
  const { properties } = plain(operation.input) as { properties: Record<string, Schema> }
  return freeFields(operation).flatMap((name) => textsIn(properties[name] ?? {}, [name]))
}

function textsIn(schema: Schema, path: string[]): Text[] {
  if (Array.isArray(schema.enum) || 'const' in schema) return []
  if (Array.isArray(schema.anyOf)) return schema.anyOf.flatMap((each) => textsIn(each as Schema, path))
  if (schema.type === 'array') return textsIn(schema.items as Schema, [...path, '0'])
  if (schema.type === 'object') {
    const children = Object.entries((schema.properties ?? {}) as Record<string, Schema>)
    return children.flatMap(([name, child]) => textsIn(child, [...path, name]))
  }
  return schema.type === 'string' ? [{ path, schema }] : []
}
