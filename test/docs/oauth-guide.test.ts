import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { oauthErrorCodes } from '#authorization/parameters.ts'

const guide = new URL('../../docs/guides/oauth.md', import.meta.url)
const missing = ['bash', 'openssl'].find((program) => spawnSync(program, ['--version']).error)
const skip = missing && !process.env.CI ? `${missing} is not on this machine` : false

/** Errors of registration, which another guide tells of, and of faults of ours, about which nothing can be done. */
const elsewhere = ['invalid_redirect_uri', 'invalid_client_metadata', 'server_error']

test('the OAuth guide tells of every error a client can meet, and of no other', async () => {
  const table = (await readFile(guide, 'utf8')).split('## Errors')[1] ?? ''
  const told = [...table.matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, code]) => code).slice(1)
  assert.deepEqual([...told, ...elsewhere].sort(), [...oauthErrorCodes].sort())
})

test('the verifier and challenge of the OAuth guide are those of RFC 7636', { skip }, async () => {
  const script = /```sh\n(.*?)```/s.exec(await readFile(guide, 'utf8'))?.[1]
  const { stdout } = spawnSync('bash', ['-c', `${script}\nprintf '%s %s' "$VERIFIER" "$CHALLENGE"`], {
    encoding: 'utf8',
  })
  const [verifier = '', challenge] = stdout.split(' ')
  assert.match(verifier, /^[A-Za-z0-9_-]{43}$/)
  assert.equal(challenge, createHash('sha256').update(verifier).digest('base64url'))
})
