import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { on, once } from 'node:events'
import { after, before, test } from 'node:test'
import { type Code, connect, obtainCode, redirect_uri, register, type SignedIn, signIn } from '#test/oauth.ts'
import { startTestService, type TestAnswer, type TestService } from '#test/service.ts'
import type { PeerTask } from './support/peer.ts'

const rest = { resource: 'https://stint.test/rest/v2' }
const at_once = 50

let service: TestService
let user: SignedIn
let peers: ChildProcess[]
before(async () => {
  service = await startTestService()
  user = await signIn(service)
  peers = await Promise.all([startPeer(), startPeer()])
})
after(async () => {
  for (const peer of peers) peer.kill()
  await service.close()
})

/** A process of its own with the whole service on the same database. */
async function startPeer(): Promise<ChildProcess> {
  const { sealing_keys } = service.runtime.secrets
  const setting = {
    connection: service.database.connection,
    sealing_keys: sealing_keys.map(({ id, key }) => ({ id, key: key.toString('base64') })),
  }
  const peer = fork(new URL('./support/peer.ts', import.meta.url), [JSON.stringify(setting)])
  await once(peer, 'message')
  return peer
}

type Answer = Pick<TestAnswer, 'status' | 'body'>

/** The same form sent many times at once, half by each process; answers statuses and bodies. */
async function race(path: string, form: Record<string, string>): Promise<Answer[]> {
  const task: PeerTask = { path, form, times: at_once / 2 }
  const answers = await Promise.all(
    peers.map(async (peer) => {
      const messages = on(peer, 'message')
      peer.send(task)
      // Another race may run beside this one.
      for await (const [{ path: answered, answers }] of messages) if (answered === path) return answers as Answer[]
      throw new Error('the peer has ended')
    }),
  )
  return answers.flat()
}

const winnersOf = (answers: Answer[]) => {
  const winners = answers.filter(({ status }) => status === 200)
  for (const { status, body } of answers)
    if (status !== 200) assert.deepEqual([status, body.error], [400, 'invalid_grant'])
  return winners
}
const works = async (token: string) => (await service.call('GET', '/contracts', { token })).status === 200

test(`code.parallel: of ${at_once} redemptions by two processes exactly one gets tokens`, async () => {
  const { client_id } = await register(service)
  for (let rounds = 0; rounds < 3; rounds += 1) {
    const { code, verifier }: Code = await obtainCode(service, client_id, user, rest)
    const form = { grant_type: 'authorization_code', client_id, code, code_verifier: verifier, redirect_uri }
    const answers = await race('/oauth/token', form)
    assert.equal(answers.length, at_once)
    assert.equal(winnersOf(answers).length, 1)
    // The others passed the same checks, so the code was in two hands: nothing issued for it lives.
    assert.ok(!(await works(answers.find(({ status }) => status === 200)?.body.access_token)))
  }
})

test(`refresh.parallel: of ${at_once} refreshes by two processes exactly one wins, and its tokens live`, async () => {
  let { client_id, refresh_token } = await connect(service, user, rest)
  for (let rounds = 0; rounds < 3; rounds += 1) {
    const [winner, ...more] = winnersOf(
      await race('/oauth/token', { grant_type: 'refresh_token', client_id, refresh_token }),
    )
    assert.ok(winner && more.length === 0, `round ${rounds}: ${more.length + 1} winners`)
    assert.ok(await works(winner.body.access_token))
    refresh_token = winner.body.refresh_token
  }
})

test('a revocation of one process counts for the next request of the other', async () => {
  const { client_id, access_token, refresh_token } = await connect(service, user, rest)
  assert.ok(await works(access_token))
  const revoked = await race('/oauth/revoke', { client_id, token: refresh_token })
  assert.ok(revoked.every(({ status }) => status === 200))
  assert.ok(!(await works(access_token)))
})

test('refreshes beside a revocation end with nothing that lives', async () => {
  const { client_id, refresh_token } = await connect(service, user, rest)
  const [answers, revocations] = await Promise.all([
    race('/oauth/token', { grant_type: 'refresh_token', client_id, refresh_token }),
    race('/oauth/revoke', { client_id, token: refresh_token }),
  ])
  for (const { status } of revocations) assert.equal(status, 200)
  const issued = answers.flatMap(({ body }) => body?.access_token ?? [])
  assert.ok(issued.length <= 1)
  for (const token of issued) assert.ok(!(await works(token)))
})
