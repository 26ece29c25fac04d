import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { StartRefused } from '#db/start-refused.ts'
import { openTlsMaterial } from './tls-material.ts'

let folder: string
const file = (name: string) => join(folder, name)

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stint-own-'))
  const { cert, key, ca_file } = await openTlsMaterial({ data_dir: folder, hosts: [], now: Date.now })
  const authority = await readFile(ca_file ?? '', 'utf8')
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const locked = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' } as const
  await mkdir(file('folder.pem'))
  await Promise.all([
    writeFile(file('cert.pem'), cert),
    writeFile(file('chain.pem'), cert + authority),
    writeFile(file('reversed.pem'), authority + cert),
    writeFile(file('cut-chain.pem'), `${cert}-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n`),
    writeFile(file('key.pem'), key),
    writeFile(file('other.pem'), other.export({ type: 'pkcs8', format: 'pem' })),
    writeFile(file('locked.pem'), other.export(locked)),
    writeFile(file('text.pem'), 'hello'),
  ])
})
after(() => rm(folder, { recursive: true }))

const open = (cert_file: string | undefined, key_file: string | undefined) =>
  openTlsMaterial({
    data_dir: file('unused'),
    hosts: [],
    cert_file: cert_file && file(cert_file),
    key_file: key_file && file(key_file),
    now: Date.now,
  })

test("the operator's files are served as they are, with their chain, and no authority is made", async () => {
  const { cert, key, ca_file, source } = await open('chain.pem', 'key.pem')
  assert.deepEqual(
    { cert, key, ca_file, source },
    {
      cert: await readFile(file('chain.pem'), 'utf8'),
      key: await readFile(file('key.pem'), 'utf8'),
      ca_file: null,
      source: 'files',
    },
  )
  await assert.rejects(readFile(file('unused/tls/ca.pem')), { code: 'ENOENT' })
})

for (const { name, cert, key, says } of [
  { name: 'no key file', cert: 'cert.pem', key: undefined, says: /cert\.pem is set without a key file/ },
  { name: 'no certificate file', cert: undefined, key: 'key.pem', says: /key\.pem is set without a certificate file/ },
  { name: 'an absent certificate', cert: 'absent.pem', key: 'key.pem', says: /cannot read .*absent\.pem: ENOENT/ },
  { name: 'an absent key', cert: 'cert.pem', key: 'absent.pem', says: /cannot read .*absent\.pem: ENOENT/ },
  { name: 'a folder', cert: 'folder.pem', key: 'key.pem', says: /cannot read .*folder\.pem: EISDIR/ },
  { name: 'text for a certificate', cert: 'text.pem', key: 'key.pem', says: /text\.pem holds no PEM certificate/ },
  { name: 'text for a key', cert: 'cert.pem', key: 'text.pem', says: /text\.pem holds no PEM private key/ },
  { name: 'a key with a passphrase', cert: 'cert.pem', key: 'locked.pem', says: /locked\.pem .* without passphrase/ },
  { name: 'the key of another', cert: 'cert.pem', key: 'other.pem', says: /other\.pem does not match .*cert\.pem/ },
  { name: 'a reversed chain', cert: 'reversed.pem', key: 'key.pem', says: /does not match the first certificate/ },
  { name: 'a damaged chain', cert: 'cut-chain.pem', key: 'key.pem', says: /cut-chain\.pem cannot be served/ },
]) {
  test(`${name} is refused, naming the file`, async () => {
    await assert.rejects(open(cert, key), (error) => {
      assert.ok(error instanceof StartRefused)
      assert.match(error.message, says)
      return true
    })
  })
}
