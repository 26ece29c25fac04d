import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Operation } from '#core/operation.ts'
import { createContract, workerLogin } from '#test/factories.ts'
import { onServer } from '#test/server-of-run.ts'
import type { TestAnswer } from '#test/service.ts'
import { verifies } from '#test/verifies.ts'
import { contractService } from './derived/contract-service.ts'
import { everyOperation, hasBody, holdsFor, isList, isWorkers } from './derived/every-operation.ts'
import { filledList, idOf } from './derived/list-rows.ts'
import { emptyPath, realPath, referredRow } from './derived/rows.ts'
import { sampleInput } from './derived/sample-input.ts'
import { tokenFor } from './derived/tokens.ts'
import { writesNothing } from './derived/written-rows.ts'

let { service, ours, theirs } = await contractService()

const without_second_wall = `
  do $$ declare name regclass; begin
    for name in select oid from pg_class where relnamespace = 'public'::regnamespace and relrowsecurity loop
      execute format('alter table %s no force row level security', name);
      execute format('alter table %s disable row level security', name);
    end loop;
  end $$`

const withIds = everyOperation.filter(({ path }) => path.includes(':'))

const wordsOf = ({ status, body }: TestAnswer) => ({ status, ...body, request_id: '' })

interface Try {
  operation: Operation
  path: string
  token: string
  body: Record<string, unknown> | undefined
}

/** The calls of all operations on real rows, made before anything is counted. */
async function prepare(which: readonly Operation[], pathOf: (operation: Operation) => Promise<string>) {
  const tries = new Map<string, Try>()
  for (const operation of which) {
    tries.set(operation.id, {
      operation,
      path: await pathOf(operation),
      token: await tokenFor(service, ours, operation),
      body: hasBody(operation)
        ? await sampleInput(service, operation, (field) => referredRow(service, ours, field))
        : undefined,
    })
  }
  return tries
}

const send = ({ operation, token, body }: Try, path: string) => service.call(operation.method, path, { token, body })

/** Each try answers 404, exactly as a path of ids that name nothing, and nothing is written. */
async function answersLikeMissing(tries: ReadonlyMap<string, Try>): Promise<void> {
  const operations = [...tries.values()].map(({ operation }) => operation)
  await writesNothing(service, [ours.id, theirs.id], () =>
    holdsFor(operations, async (operation) => {
      const one = tries.get(operation.id)
      assert.ok(one)
      const [foreign, missing] = [await send(one, one.path), await send(one, emptyPath(operation))]
      const refused = `${foreign.status} ${foreign.body.code}`
      verifies('7.permissions').equal(refused, '404 not_found', JSON.stringify(foreign.body))
      assert.deepEqual(wordsOf(foreign), wordsOf(missing))
    }),
  )
}

test('a row of another organization answers like one that does not exist, and stays as it is', async () => {
  await answersLikeMissing(await prepare(withIds, (operation) => realPath(service, theirs, operation)))
})

test('each wall holds alone: without row-level security every query still names its organization', async () => {
  const alone = await contractService()
  const both = { service, ours, theirs }
  try {
    await onServer(alone.service.database.owner, without_second_wall)
    ;({ service, ours, theirs } = alone)
    await answersLikeMissing(await prepare(withIds, (operation) => realPath(service, theirs, operation)))
    await holdsFor(everyOperation.filter(isList), async (operation) => {
      const { path, rows } = await filledList(service, operation)
      if (operation.path.includes(':')) return
      const { status, body } = await service.call('GET', path, { token: await tokenFor(service, ours, operation) })
      assert.equal(status, 200)
      const foreign = new Set(rows.map(idOf))
      // The catalogue of event types and the lookups are the program's own.
      if (/^lookups\.|^webhooks\.list_event_types$/.test(operation.id)) return
      assert.deepEqual(
        body.data.map(idOf).filter((id: unknown) => foreign.has(id)),
        [],
      )
    })
  } finally {
    ;({ service, ours, theirs } = both)
  }
})

test('a worker reaches no row of another person of the same organization', async () => {
  const worker_id = (await createContract(service, {}, ours)).worker_id
  const token = await workerLogin(service, worker_id, ours.id)
  const tries = await prepare(withIds.filter(isWorkers), (operation) => realPath(service, ours, operation))
  for (const one of tries.values()) one.token = token
  await answersLikeMissing(tries)
})

test('a reference to a row of another organization is refused like one to nothing', () =>
  holdsFor(everyOperation.filter(hasBody), async (operation) => {
    const token = await tokenFor(service, ours, operation)
    const path = await realPath(service, ours, operation)
    const references = Object.keys(operation.input.properties).filter(
      (name) =>
        /_id$/.test(name) && name !== 'external_id' && name !== 'vat_id' && !operation.path.includes(`:${name}`),
    )
    for (const field of references) {
      const body = await sampleInput(service, operation, (other) => referredRow(service, ours, other))
      const answers = await Promise.all(
        [await referredRow(service, theirs, field), crypto.randomUUID()].map((id) =>
          service.call(operation.method, path, { token, body: { ...body, [field]: id } }),
        ),
      )
      const [foreign, missing] = answers
      assert.ok(foreign && missing)
      assert.ok(foreign.status >= 400, `${field} took a foreign row`)
      assert.deepEqual(wordsOf(foreign), wordsOf(missing), field)
    }
  }))
