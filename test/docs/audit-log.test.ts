import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { recordAudit } from '#core/effects.ts'
import { useTestService } from '#test/service.ts'
import { dataFolder, stint } from '#test/stint.ts'

const program = new URL('../../docs/guides/verify_audit.py', import.meta.url).pathname
const skip = spawnSync('python3', ['--version']).error && !process.env.CI ? 'python3 is not on this machine' : false

// biome-ignore lint/suspicious/noExplicitAny: any value of an export is bent
type Export = { batches: any[]; entries: any[]; seals: any[] }

/** Each makes an export tell another story than the one that was sealed. */
const bends: Record<string, (log: Export) => void> = {
  'a name': ({ entries }) => (entries[3].actor.name = 'Nobody'),
  'a time': ({ entries }) => (entries[0].occurred_at = '2026-01-01T00:00:00.000Z'),
  'an address': ({ entries }) => (entries[5].ip = '192.0.2.1'),
  'an entry less': ({ entries }) => entries.splice(4, 1),
  'an entry more': ({ entries }) => entries.push({ ...entries[2], id: '019bb16e-fe80-7b02-b1c4-90aa3e5d7f62' }),
  'two entries exchanged': ({ entries: [a, b] }) => ([a.position, b.position] = [b.position, a.position]),
  'an entry of another batch': ({ entries }) => (entries[1].batch = 1),
  'a batch less in the middle': ({ batches }) => batches.splice(1, 1),
  'a batch less at the end': ({ batches }) => batches.pop(),
  'a batch that was sealed earlier': ({ batches }) => (batches[1].sealed_at = '2026-01-01T00:00:00.000Z'),
  'a batch that lists another hash': ({ batches }) => (batches[2].entries[0].hash = '0'.repeat(64)),
  'a kept seal that differs': ({ seals }) => (seals[0].hash = '0'.repeat(64)),
}

test('the program of the guide and ours say the same of every text, and find the same that was bent', {
  skip,
}, async (t) => {
  const service = await useTestService(t)
  const { id: organization_id } = service.organization
  const odd = ['Zoë', '"\\/', '\u2028\u2029', '\u0001\u001f\t\n\r\b\f\u007f', '🌱 𝒳', '\uffff\ufeff', '</script>', ' ']
  for (let batch = 0; batch < 3; batch += 1) {
    await service.database.database.transaction({ role: 'app', organization_id }, async (tx) => {
      for (const name of odd) {
        const actor = { kind: 'user', id: null, name } as const
        const subject = { kind: 'tests', id: null }
        recordAudit(tx, {
          organization_id,
          actor,
          action: 'tests.write',
          subject,
          changed_fields: odd,
          request_id: name,
        })
      }
    })
    await service.sealing.runDue()
    await service.clock.advance(1_000)
  }
  const read = async (path: string) => (await service.call('GET', path, { query: { limit: 100 } })).body.data
  const [batches, entries] = [await read('/audit-entries/batches'), await read('/audit-entries')]
  const seals = [(await service.call('GET', '/audit-entries/seal')).body]
  const folder = await dataFolder(t)
  const files = ['batches.json', 'entries.json', 'seals.jsonl'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  const statuses = async (log: Export) => {
    const texts = [
      JSON.stringify({ data: log.batches }),
      JSON.stringify({ data: log.entries }),
      JSON.stringify(log.seals[0]),
    ]
    await Promise.all(files.map((file, place) => writeFile(file, texts[place] ?? '')))
    const { status, stdout, stderr } = spawnSync('python3', [program, ...files], { encoding: 'utf8' })
    assert.equal(stderr, '', stdout)
    const ours = await stint(['audit', 'verify', files[0], files[1], '--against', files[2]])
    return [status, ours.status]
  }
  const log: Export = { batches, entries, seals }
  assert.deepEqual(await statuses(log), [0, 0])
  for (const [what, bend] of Object.entries(bends)) {
    const bent = structuredClone(log)
    bend(bent)
    assert.deepEqual(await statuses(bent), [1, 1], what)
  }
})
