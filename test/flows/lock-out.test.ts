import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import { after, before, test } from 'node:test'
import { addUser, pageHeaders } from '#test/console-caller.ts'
import { type HttpsService, startHttpsService } from '#test/https-service.ts'
import { noteSecret } from '#test/secrets.ts'

const email = 'nora@harbour.example'
const password = noteSecret('seven quiet herons')
const attackers = Array.from({ length: 32 }, (_, n) => `127.0.1.${n + 1}`)

let service: HttpsService
before(async () => {
  service = await startHttpsService()
  await addUser(service, { email, password })
})
after(() => service.close())

/** Signs in over HTTPS from one of this computer's own addresses, as a browser there would. */
function signIn(localAddress: string, word: string, cookie = ''): Promise<{ status: number; cookie: string }> {
  const url = new URL('/console/auth/session', service.origin)
  const headers = { ...pageHeaders, 'content-type': 'application/json', ...(cookie && { cookie }) }
  const options = { method: 'POST', ca: readFileSync(service.ca_file), localAddress, family: 4, agent: false, headers }
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (response) => {
      const set = response.headers['set-cookie'] ?? []
      response.resume().once('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          cookie: set.map((one) => one.slice(0, one.indexOf(';'))).join('; '),
        }),
      )
    })
    sent.once('error', reject).end(JSON.stringify({ email, password: word }))
  })
}

test('lock-out: while 32 addresses guess, the owner signs in from one that did not fail, and from one of theirs with the own browser', async () => {
  const { cookie } = await signIn('127.0.0.1', password)
  const rounds = Array.from({ length: 5 }, () => attackers)
  for (const addresses of rounds) await Promise.all(addresses.map((address) => signIn(address, 'seven quiet heronz')))

  // Nothing is left of what the account has for networks that failed it.
  assert.equal((await signIn(attackers[0] ?? '', password)).status, 429)
  assert.equal((await signIn('127.0.2.1', password)).status, 201)
  assert.equal((await signIn(attackers[0] ?? '', password, cookie)).status, 201)
})
