import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { connect, createServer } from 'node:tls'
import { promisify } from 'node:util'
import { loadX509 } from './certificate-authority.ts'
import { openTlsMaterial, type TlsMaterial } from './tls-material.ts'

const day_ms = 86_400_000
const start = Date.UTC(2026, 10, 20)
const hosts = ['stint.example.com', '[2001:db8::7]', '192.0.2.7']

const open = (data_dir: string, { days = 0, hosts: names = hosts } = {}) =>
  openTlsMaterial({ data_dir, hosts: names, now: () => start + days * day_ms })

test('the first start makes an authority and a certificate whose keys only the owner can read', async (t) => {
  const data_dir = await dataFolder(t)
  const made = await open(data_dir)
  const folder = join(data_dir, 'tls')
  assert.equal(made.source, 'generated')
  assert.equal(made.ca_file, join(folder, 'ca.pem'))
  assert.deepEqual((await readdir(folder)).sort(), ['ca.key', 'ca.pem', 'cert.pem', 'key.pem'])
  assert.equal(await modeOf(folder), 0o700)
  assert.equal(await modeOf(join(folder, 'ca.key')), 0o600)
  assert.equal(await modeOf(join(folder, 'key.pem')), 0o600)
  assert.equal(made.expires_at, new X509Certificate(made.cert).validToDate.getTime())
})

test('the certificate is for the loopback names and the configured hosts and for no other', async (t) => {
  const certificate = new X509Certificate((await open(await dataFolder(t))).cert)
  assert.ok(certificate.checkHost('localhost'))
  assert.ok(certificate.checkHost('stint.example.com'))
  for (const address of ['127.0.0.1', '::1', '2001:db8::7', '192.0.2.7'])
    assert.ok(certificate.checkIP(address), address)
  assert.equal(certificate.checkHost('other.example.com'), undefined)
  assert.equal(certificate.checkIP('192.0.2.8'), undefined)
})

test('certificate and authority carry what strict verifiers ask for', async (t) => {
  const { cert, ca_file } = await open(await dataFolder(t))
  const x509 = await loadX509()
  const server = new x509.X509Certificate(cert)
  const authority = new x509.X509Certificate(await readFile(ca_file ?? '', 'utf8'))

  const lifetime_ms = server.notAfter.getTime() - server.notBefore.getTime()
  assert.ok(lifetime_ms <= 397 * day_ms)
  assert.deepEqual(Array.from(server.extensions, ({ type, critical }) => [type, critical]).sort(), [
    ['2.5.29.14', false], // subject key identifier
    ['2.5.29.15', true], // key usage
    ['2.5.29.17', false], // subject alternative name
    ['2.5.29.19', true], // basic constraints
    ['2.5.29.35', false], // authority key identifier
    ['2.5.29.37', false], // extended key usage
  ])
  assert.equal(server.getExtension(x509.BasicConstraintsExtension)?.ca, false)
  assert.deepEqual(
    [...(server.getExtension(x509.ExtendedKeyUsageExtension)?.usages ?? [])],
    [x509.ExtendedKeyUsage.serverAuth],
  )
  const authority_key = authority.getExtension(x509.SubjectKeyIdentifierExtension)?.keyId
  assert.ok(authority_key)
  assert.equal(server.getExtension(x509.AuthorityKeyIdentifierExtension)?.keyId, authority_key)

  const constraints = authority.getExtension(x509.BasicConstraintsExtension)
  assert.deepEqual([constraints?.ca, constraints?.pathLength, constraints?.critical], [true, 0, true])
  const usages = authority.getExtension(x509.KeyUsagesExtension)
  assert.equal(usages?.usages, x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign)
  assert.deepEqual(server.publicKey.algorithm, { name: 'ECDSA', namedCurve: 'P-256' })
})

test('a client that trusts ca.pem completes a handshake, one that does not refuses', async (t) => {
  const material = await openTlsMaterial({ data_dir: await dataFolder(t), hosts, now: Date.now })
  assert.equal(await handshake(t, material, await readFile(material.ca_file ?? '', 'utf8')), 'trusted')
  assert.equal(await handshake(t, material, undefined), 'UNABLE_TO_VERIFY_LEAF_SIGNATURE')
})

test('a second start keeps the certificate and loads no certificate library', async (t) => {
  const data_dir = await dataFolder(t)
  const first = await openTlsMaterial({ data_dir, hosts, now: Date.now })
  const script = `
    import { createRequire } from 'node:module'
    const { openTlsMaterial } = await import(${JSON.stringify(new URL('tls-material.ts', import.meta.url).href)})
    const { cert } = await openTlsMaterial({ data_dir: process.argv[1], hosts: process.argv.slice(2), now: Date.now })
    const loaded = Object.keys(createRequire(process.execPath).cache).filter((path) => path.includes('peculiar'))
    console.log(JSON.stringify({ cert, loaded }))`
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', script, data_dir, ...hosts],
    { timeout: 120_000 },
  )
  assert.deepEqual(JSON.parse(stdout), { cert: first.cert, loaded: [] })
})

for (const { name, days, names, renewed } of [
  { name: 'is kept until 30 days before its end', days: 365, names: hosts, renewed: false },
  { name: 'is renewed 30 days before its end', days: 367, names: hosts, renewed: true },
  { name: 'is renewed after its end', days: 900, names: hosts, renewed: true },
  {
    name: 'is kept when the hosts come in another order or spelling',
    days: 1,
    renewed: false,
    names: ['192.0.2.7', 'STINT.example.com', '2001:0db8:0:0::7', 'localhost'],
  },
  { name: 'is renewed for a host more', days: 1, names: [...hosts, 'b.example.com'], renewed: true },
  { name: 'is renewed for a host less', days: 1, names: hosts.slice(1), renewed: true },
]) {
  test(`the certificate ${name}, under the same authority`, async (t) => {
    const data_dir = await dataFolder(t)
    const first = await open(data_dir)
    const authority = await readFile(first.ca_file ?? '', 'utf8')
    const second = await open(data_dir, { days, hosts: names })
    assert.equal(second.cert !== first.cert, renewed)
    assert.equal(second.key !== first.key, renewed)
    assert.equal(await readFile(first.ca_file ?? '', 'utf8'), authority)
    assert.equal(await readFile(join(data_dir, 'tls', 'cert.pem'), 'utf8'), second.cert)
  })
}

test('the authority is renewed before a certificate could outlive it', async (t) => {
  const data_dir = await dataFolder(t)
  const first = await open(data_dir)
  const old = new X509Certificate(await readFile(first.ca_file ?? '', 'utf8'))
  const { cert } = await open(data_dir, { days: 3650 - 396 - 29 })
  const authority = new X509Certificate(await readFile(first.ca_file ?? '', 'utf8'))
  assert.notEqual(authority.subject, old.subject)
  assert.ok(new X509Certificate(cert).validToDate < authority.validToDate)
})

for (const { name, damage, authority_kept } of [
  { name: 'a cut certificate', damage: { 'cert.pem': '-----BEGIN CERTIFICATE-----\nMIIB' }, authority_kept: true },
  { name: 'an empty key', damage: { 'key.pem': '' }, authority_kept: true },
  { name: 'no certificate', damage: { 'cert.pem': null }, authority_kept: true },
  { name: 'a key of another certificate', damage: { 'key.pem': 'other' }, authority_kept: true },
  { name: 'a damaged authority', damage: { 'ca.pem': 'nonsense' }, authority_kept: false },
  {
    name: 'neither certificate nor authority key',
    damage: { 'cert.pem': null, 'ca.key': null },
    authority_kept: false,
  },
  { name: 'a key of another authority', damage: { 'cert.pem': null, 'ca.key': 'other' }, authority_kept: false },
]) {
  test(`a folder with ${name} is repaired, ${authority_kept ? 'keeping' : 'replacing'} the authority`, async (t) => {
    const data_dir = await dataFolder(t)
    const first = await openTlsMaterial({ data_dir, hosts, now: Date.now })
    const authority = await readFile(first.ca_file ?? '', 'utf8')
    for (const [file, text] of Object.entries(damage)) await spoil(t, join(data_dir, 'tls', file), text)
    const repaired = await openTlsMaterial({ data_dir, hosts, now: Date.now })
    const trusted = await readFile(first.ca_file ?? '', 'utf8')
    assert.equal(trusted === authority, authority_kept)
    assert.equal(await handshake(t, repaired, trusted), 'trusted')
    assert.equal((await openTlsMaterial({ data_dir, hosts, now: Date.now })).cert, repaired.cert)
  })
}

test('the certificate stays in use when the key of its authority was taken away', async (t) => {
  const data_dir = await dataFolder(t)
  const first = await open(data_dir)
  await rm(join(data_dir, 'tls', 'ca.key'))
  assert.equal((await open(data_dir, { days: 1 })).cert, first.cert)
})

test('processes that start together on one data folder agree on one authority', async (t) => {
  const data_dir = await dataFolder(t)
  const opened = await Promise.all(Array.from({ length: 5 }, () => open(data_dir)))
  assert.equal(new Set(opened.map(({ cert }) => cert)).size, 1)
  assert.deepEqual(await readdir(data_dir), ['tls'])
})

test('a folder that others could read is closed to them', async (t) => {
  const data_dir = await dataFolder(t)
  const folder = join(data_dir, 'tls')
  await mkdir(folder)
  await writeFile(join(folder, 'readme'), 'of the operator')
  await chmod(folder, 0o755)
  await open(data_dir)
  assert.equal(await modeOf(folder), 0o700)
})

test('a host that is neither a name nor an address is refused by name', async (t) => {
  const data_dir = await dataFolder(t)
  await assert.rejects(open(data_dir, { hosts: ['not a host'] }), /not a host is neither/)
})

async function handshake(t: TestContext, { cert, key }: TlsMaterial, ca: string | undefined): Promise<string> {
  const server = createServer({ cert, key }).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const address = server.address()
  assert.ok(address && typeof address === 'object')
  const socket = connect({ port: address.port, host: '127.0.0.1', servername: 'localhost', ...(ca && { ca }) })
  try {
    await once(socket, 'secureConnect')
    return 'trusted'
  } catch (error) {
    assert.ok(error instanceof Error && 'code' in error)
    return String(error.code)
  } finally {
    socket.destroy()
  }
}

async function spoil(t: TestContext, path: string, text: string | null): Promise<void> {
  if (text === null) return rm(path)
  if (text !== 'other') return writeFile(path, text)
  const other = await dataFolder(t)
  await open(other)
  await writeFile(path, await readFile(join(other, 'tls', path.endsWith('ca.key') ? 'ca.key' : 'key.pem')))
}

async function dataFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'stint-tls-'))
  t.after(() => rm(folder, { recursive: true }))
  return folder
}

const modeOf = async (path: string) => (await stat(path)).mode & 0o777
