import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Operation } from '#core/operation.ts'
import { sql } from '#db/database.ts'
import type { TestAnswer } from '#test/service.ts'
import { contractService } from './derived/contract-service.ts'
import { everyOperation, freeFields, plain, type Schema } from './derived/every-operation.ts'
import { creatorOf, referredRow } from './derived/rows.ts'
import { sampleInput, sampleOf } from './derived/sample-input.ts'
import { tokenFor } from './derived/tokens.ts'

const { service, ours } = await contractService()

/** An operation that makes rows of a noun, and the field of its input that no two of them share. */
interface Unique {
  creator: Operation
  field: string
}

/** The problem of each unique field; `external_id_in_use` names no field where inputs of several nouns lead to it. */
const refusals: Record<string, string> = {
  name: '409 name_in_use /name',
  key: '409 name_in_use /key',
  email: '409 email_in_use /email',
  external_id: '409 external_id_in_use /external_id',
  'people external_id': '409 external_id_in_use ',
}

/** From the unique indexes of the database: those whose last column is in the input of the operation that makes the rows. */
async function uniqueFields(): Promise<Unique[]> {
  const indexes = await service.database.database.transaction({ role: 'owner', read_only: true }, (tx) =>
    tx.rows<{ noun: string; column: string }>(sql`
      select i.indrelid::regclass::text as noun, a.attname as column
      from pg_index i
      join pg_class c on c.oid = i.indrelid and c.relnamespace = 'public'::regnamespace
      join pg_attribute a on a.attrelid = i.indexrelid and a.attnum = i.indnkeyatts
      where i.indisunique and not i.indisprimary
      order by 1, 2`),
  )
  return indexes.flatMap(({ noun, column }) => {
    const field = column.replace(/_lower$/, '')
    const creators = ['', '/worker'].map((audience) => creatorOf(`${audience}/${noun.replaceAll('_', '-')}`))
    return creators.flatMap((creator) => (creator && freeFields(creator).includes(field) ? [{ creator, field }] : []))
  })
}

const unique = await uniqueFields()
const named = ({ creator, field }: Unique) => `${creator.path.slice(1)} ${field}`

async function make({ creator }: Unique, own: object): Promise<TestAnswer> {
  const sample = await sampleInput(service, creator, (field) => referredRow(service, ours, field))
  const token = await tokenFor(service, ours, creator)
  return service.call('POST', creator.path, { token, body: { ...sample, ...own } })
}

/** A row with a value of its own in the field. */
async function rowWithValue(of: Unique): Promise<{ id: string; value: unknown }> {
  const properties = plain(of.creator.input).properties as Record<string, Schema>
  const value = sampleOf(properties[of.field] ?? {})
  const { status, body } = await make(of, { [of.field]: value })
  assert.equal(status, 201, JSON.stringify(body))
  return { id: body.id, value }
}

function assertRefused(of: Unique, { status, body }: TestAnswer): void {
  const told = `${status} ${body.code} ${(body.errors ?? []).map(({ pointer }: { pointer: string }) => pointer)}`
  assert.equal(told, refusals[named(of)] ?? refusals[of.field], JSON.stringify(body))
}

for (const of of unique) {
  test(`no two ${of.creator.path.slice(1)} have one ${of.field}: a second that is made is refused`, async () => {
    const { value } = await rowWithValue(of)
    assertRefused(of, await make(of, { [of.field]: value }))
  })

  const change = everyOperation.find(
    ({ method, path }) => method === 'PATCH' && path.replace(/\/:\w+$/, '') === of.creator.path,
  )
  if (!change || !freeFields(change).includes(of.field)) continue
  test(`no two ${of.creator.path.slice(1)} have one ${of.field}: a change to that of another is refused`, async () => {
    const { value } = await rowWithValue(of)
    const { id } = await rowWithValue(of)
    const path = `${of.creator.path}/${id}`
    const token = await tokenFor(service, ours, change)
    assertRefused(of, await service.call('PATCH', path, { token, body: { [of.field]: value } }))
  })
}

test('every external_id of the organization is unique', () => {
  const makers = everyOperation.filter(
    (operation) => creatorOf(operation.path) === operation && freeFields(operation).includes('external_id'),
  )
  const open = makers.filter((maker) => !unique.some(({ creator }) => creator === maker))
  assert.deepEqual(
    open.map(({ id }) => id),
    [],
  )
})
