import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { test } from 'node:test'
import { freePort, startServiceProcess } from '#test/process.ts'

const repository = new URL('../..', import.meta.url).pathname

/** The guide asks for these; where they are missing it cannot be followed. CI must have them. */
const missing = ['bash', 'curl', 'jq', 'openssl'].find((program) => spawnSync(program, ['--version']).error)
const skip = missing && !process.env.CI ? `${missing} is not on this machine` : false

test('the commands of the guide on OAuth clients do what it says', { skip }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'stint-guide-'))
  const port = await freePort()
  const service = await startServiceProcess({ data_dir: join(folder, 'data'), port, demo: true })
  t.after(async () => {
    await service.kill('SIGTERM')
    await rm(folder, { recursive: true, force: true })
  })
  await symlink(join(repository, 'docs'), join(folder, 'docs'))

  const text = await readFile(join(repository, 'docs/guides/oauth-clients.md'), 'utf8')
  const snippets = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, body = '']) => body)
  const script = snippets.join('\necho "-- next"\n').replaceAll('8443', String(port))
  const { stdout, stderr, status } = spawnSync('bash', ['-eu', '-o', 'pipefail'], {
    cwd: folder,
    input: script.replace('stint_test_org_…', service.token ?? ''),
    encoding: 'utf8',
    env: { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}` },
    timeout: 180_000,
  })
  assert.equal(status, 0, `${stdout}\n${stderr}`)
  const printed = stdout.split('-- next\n')
  const [, discovery, registered, client, total, secrets, , signed, verdict] = printed
  assert.match(discovery ?? '', new RegExp(`"issuer": "https://localhost:${port}"`))
  assert.match(registered ?? '', /"client_id":"cli_/)
  assert.match(client ?? '', /"scopes": \[\s*"contracts:read"\s*\]/)
  assert.match(total ?? '', /^15\n$/)
  assert.match(secrets ?? '', /^2\n$/)
  assert.match(signed ?? '', /"token_type": "Bearer",\s*"expires_in": 3600,\s*"scope": "contracts:read"/)
  assert.match(verdict ?? '', /^"blocked"\n$/)
})
