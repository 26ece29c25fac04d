import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdir, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { clientFor, freePort, startServiceProcess } from '#test/process.ts'
import { startReceiver } from '#test/receiver.ts'
import { dataFolder, type Ran, stint } from '#test/stint.ts'
import { type Client, contract, readAllContracts, writeContracts } from '../test/faults/support/load.ts'

const root = new URL('..', import.meta.url).pathname
const program = `"${process.execPath}" "${join(root, 'cli/stint.js')}"`
const skip = spawnSync('bash', ['--version']).error ? 'bash is not on this machine' : false

function bash(folder: string, input: string): Promise<Ran> {
  const env = { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR }
  const child = spawn('bash', ['-eu'], { cwd: folder, env })
  const ran: Ran = { status: null, out: '', error: '' }
  child.stdout.on('data', (chunk) => (ran.out += chunk))
  child.stderr.on('data', (chunk) => (ran.error += chunk))
  child.stdin.end(input.replaceAll('npx stint', program))
  return new Promise((resolve) => child.on('close', (status) => resolve({ ...ran, status })))
}

/** Runs the blocks of the guide by their kind, in a folder, as somebody who follows it. */
async function guideIn(folder: string) {
  const text = await readFile(join(root, 'docs/guides/backups.md'), 'utf8')
  const blocks = new Map(
    [...text.matchAll(/^```(sh\S*(?: \w+)?)\n(.*?)^```$/gms)].map(([, kind = '', lines = '']) => [kind, lines]),
  )
  return async (kind: string) => {
    const { status, out, error } = await bash(folder, blocks.get(kind) ?? 'exit 99')
    assert.equal(status, 0, `${kind}\n${out}\n${error}`)
    return out
  }
}

test('the guide to backups brings a service back that was backed up under load and lost', { skip }, async (t) => {
  const folder = await dataFolder(t)
  const follow = await guideIn(folder)
  const receiver = await startReceiver()
  await writeFile(join(folder, 'receiver-ca.pem'), receiver.ca)
  const port = await freePort()
  const environment = {
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    WEBHOOK_CA_FILE: join(folder, 'receiver-ca.pem'),
    STINT_RATE_LIMIT_REQUESTS: '1000000',
  }
  const first = await startServiceProcess({ data_dir: join(folder, 'data'), port, demo: true, environment })
  const client = await clientFor(join(folder, 'data'), first.token ?? '')
  const base = `${first.origin}/rest/v2`
  t.after(async () => {
    await client.close()
    await receiver.close()
  })
  const subscription = { url: receiver.url, events: ['contract.created'] }
  assert.equal((await client.call('POST', `${base}/webhooks`, subscription)).status, 201)
  const load = writeContracts(client, base, 20)
  await load.progress(8)
  const before = await readAllContracts(client, base)
  const printed = await follow('sh')
  assert.match(printed, /^made \S+monday\.tar: \d+ rows of \d+ tables[\s\S]*secrets\.json[\s\S]*^whole: \d+ rows/m)
  assert.equal((await stat(join(folder, 'monday.tar'))).mode & 0o777, 0o600)
  const { created_at, sealing_key_ids } = JSON.parse(await follow('sh json'))
  assert.ok(Date.parse(created_at) > 0 && sealing_key_ids.length === 1)
  await load.stop()
  await refusals(folder)
  const { body: latest } = await client.call('GET', `${base}/events?start=latest`)
  await first.kill('SIGTERM')
  await rm(join(folder, 'data/postgres'), { recursive: true })

  assert.equal(await follow('sh restore').then(wordsOfRestore), `${sealing_key_ids}`)
  const second = await startServiceProcess({ data_dir: join(folder, 'restored'), port, environment })
  t.after(() => second.kill('SIGTERM'))
  const after = await readAllContracts(client, base)
  assert.ok(before.isSubsetOf(after), 'what was acknowledged before the backup is there')
  const checked = await stint(['webhooks', 'check'], { STINT_DATA_DIR: join(folder, 'restored') })
  assert.equal(checked.status, 0, `${checked.out}${checked.error}`)
  const made = await client.call('POST', `${base}/contracts`, contract('after-the-restore'))
  assert.equal(made.status, 201, JSON.stringify(made.body))
  await seenBy(receiver, made.body.id)
  assert.ok(await followsTo(made.body.id, client, base, latest.cursor), 'a cursor of what was lost goes on')
})

/** The keys that the secrets file lacked when the database was restored. */
const wordsOfRestore = (out: string) => /each table was compared[\s\S]*lacks sealing key (\S+)\./.exec(out)?.[1]

async function seenBy({ requests, waitFor }: Awaited<ReturnType<typeof startReceiver>>, id: string): Promise<void> {
  while (!requests.some(({ body }) => body.includes(id))) await waitFor(requests.length + 1)
}

/** Follows the feed from a cursor until it tells of a contract; events are there within a second of their change. */
async function followsTo(id: string, client: Client, base: string, cursor: string): Promise<boolean> {
  const until_ms = performance.now() + 60_000
  while (performance.now() < until_ms) {
    const { status, body } = await client.call('GET', `${base}/events?cursor=${encodeURIComponent(cursor)}`)
    assert.equal(status, 200, JSON.stringify(body))
    if (JSON.stringify(body.data).includes(id)) return true
    cursor = body.cursor
  }
  return false
}

/** Refusals of a backup and its archive, beside a running service with the archive monday.tar. */
async function refusals(folder: string): Promise<void> {
  const environment = { STINT_DATA_DIR: join(folder, 'data') }
  const archive = join(folder, 'monday.tar')
  const run = async (words: string[], status: number, error: RegExp) => {
    const ran = await stint(['backup', ...words], environment)
    assert.deepEqual([ran.status, ran.out], [status, ''], ran.error)
    assert.match(ran.error, error)
    assert.equal(ran.error.includes('    at '), false, 'no stack')
  }
  await run(['create', archive], 2, /monday\.tar exists; a backup is never written over another file/)
  await run(['restore', archive], 78, /already uses the data folder/)
  await run(['verify', join(folder, 'other.tar')], 1, /other\.tar cannot be used: .*ENOENT/)
  await run(['verify', join(folder, 'receiver-ca.pem')], 1, /the file is no backup of Stint/)

  const full = join(folder, 'full')
  await mkdir(full)
  const limited = await bash(folder, `ulimit -f 64; npx stint backup create full/one.tar`)
  assert.deepEqual([limited.status, limited.out], [1, ''], limited.error)
  assert.match(limited.error, /one\.tar cannot be written: .*EFBIG/)
  assert.deepEqual(await readdir(full), [], 'no half archive is left')

  const file = await open(archive, 'r+')
  const { size } = await file.stat()
  const place = Math.floor(size / 2)
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, place)
  await file.write(Buffer.from([(buffer[0] ?? 0) ^ 1]), 0, 1, place)
  await run(['verify', archive], 1, /in the archive is damaged|the archive is damaged/)
  await file.write(buffer, 0, 1, place)
  await file.close()
}
