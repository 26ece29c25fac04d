import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { usedDataFolder } from '#test/process.ts'
import { dataFolder, stint } from '#test/stint.ts'

test('the operator is told how far each log is sealed, and which kept seal it does not have', async (t) => {
  const data_dir = await usedDataFolder(t)
  const environment = { STINT_DATA_DIR: data_dir }
  const verify = (...words: string[]) => stint(['audit', 'verify', ...words], environment)
  const owner = ['--email', 'nora@example.org', '--organization', 'My company', '--country', 'DE', '--link']
  const made = await stint(['admin', 'create', ...owner], environment)
  assert.equal(made.status, 0, made.error)
  const checked = await verify()
  assert.equal(checked.status, 0, checked.error)
  assert.match(checked.out, /^whole {3}My company: 0 entries in no batch\n {8}entries not sealed yet: 2\n$/)

  const { out } = await verify('--json')
  const [{ organization_id, ...report }] = JSON.parse(out)
  assert.deepEqual([report.is_whole, report.first_batch, report.unsealed.count, report.findings], [true, null, 2, []])
  const seals = join(data_dir, 'seals.jsonl')
  const seal = {
    organization_id,
    batch: 3,
    hash: 'ab'.repeat(32),
    entries_total: 9,
    sealed_at: '2026-01-05T08:00:00.000Z',
  }
  await writeFile(seals, `${JSON.stringify({ ...seal, batch: 0, hash: null })}\n\n${JSON.stringify(seal)}\n`)
  const against = await verify('--organization', 'My company', '--against', seals)
  assert.equal(against.status, 1)
  assert.match(
    against.out,
    /^BROKEN {2}My company: .*: 1 not as sealed\n {8}batch 3, of which a seal was kept, is not there/,
  )
  await writeFile(seals, '')
  const empty = await verify('--against', seals)
  assert.deepEqual([empty.status, empty.out], [1, checked.out])
  assert.match(empty.error, /^No kept seal was compared: --against has none of a batch that was checked\.$/m)
  const unknown = await verify('--organization', 'Nowhere')
  assert.deepEqual([unknown.status, unknown.error], [1, 'stint audit verify: there is no organization "Nowhere"\n'])
})

test('what is no export and no seal is refused with the way to make one', async (t) => {
  const folder = await dataFolder(t)
  const file = async (name: string, content: unknown) => {
    const path = join(folder, name)
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
    return path
  }
  const batch = { organization_id: 'a', batch: 1, previous_hash: null, entries: [], hash: '' }
  const wrong: [words: string[], says: RegExp][] = [
    [[join(folder, 'nowhere.json')], /nowhere\.json cannot be read: ENOENT/],
    [[await file('text.json', 'no JSON')], /text\.json holds no JSON that an operation of the audit log answered/],
    [[await file('list.json', '[1]')], /list\.json holds no JSON that/],
    [
      [await file('other.json', { data: [{ id: 'x' }] })],
      /other\.json holds something that is neither an entry nor a batch/,
    ],
    [
      [await file('broken.json', { data: [{ ...batch, entries: [null] }] })],
      /broken\.json holds something that is neither/,
    ],
    [[await file('none.json', { data: [] })], /hold no batch: export them by `stint audit list-batches --all --json`/],
    [[await file('two.json', [batch, { ...batch, organization_id: 'b' }])], /the logs of several organizations/],
    [[await file('one.json', [batch]), '--organization', 'x'], /--organization is for the database/],
    [['--against', await file('seal.json', { id: 1 })], /seal\.json holds something that is no seal: keep what/],
  ]
  for (const [words, says] of wrong) {
    const { status, error } = await stint(['audit', 'verify', ...words])
    assert.equal(status, 2, words.join(' '))
    assert.match(error, says)
  }
})
