import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { everyOperation, registry } from './derived/every-operation.ts'

const root = new URL('../../', import.meta.url).pathname

test('every operation has one table of cases', async () => {
  const tables: string[] = []
  for await (const file of glob('{server,test}/**/*.test.ts', { cwd: root })) {
    const text = await readFile(`${root}${file}`, 'utf8')
    for (const [, id = ''] of text.matchAll(/^cases\(\s*'([a-z_.]+)'/gm)) tables.push(id)
  }
  const expected = everyOperation.map(({ id }) => id)
  assert.deepEqual(tables.sort(), expected.sort())
})

/** Events that no operation emits, with the test that observes each as a timer, the engine or a page emits it. */
const beside_operations: Readonly<Record<string, string>> = {
  'api-token.expiring': 'test/flows/oauth/credentials.test.ts',
  'contract.invitation.expired': 'server/resources/contracts/invite-worker.test.ts',
  'time-off.status.updated': 'server/resources/time-offs/time-off-states.test.ts',
  'invoice.overdue': 'server/resources/invoices/close-cycle.test.ts',
  'payment-cycle.closed': 'server/resources/payment-cycles/cycles.test.ts',
  'user.provisioned': 'server/authorization/invitations.test.ts',
  'webhook.failing': 'server/webhooks/delivery/failing.test.ts',
}

test('every event of the catalogue is observed: in the table of an operation, or in the test that is named', async () => {
  const emitted = new Set(everyOperation.flatMap(({ emits = [] }) => emits.map(({ type }) => type)))
  const others = [...registry.events.keys()].filter((type) => !emitted.has(type))
  assert.deepEqual(others.sort(), Object.keys(beside_operations).sort())
  for (const [type, file] of Object.entries(beside_operations)) {
    assert.ok((await readFile(`${root}${file}`, 'utf8')).includes(`'${type}'`), `${file} does not observe ${type}`)
  }
})
