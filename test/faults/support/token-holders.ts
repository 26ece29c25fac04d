import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { type Connection, obtainCode, redeem, refresh, register, type SignedIn } from '#test/oauth.ts'
import type { TestAnswer } from '#test/service.ts'
import type { RemoteService } from './remote-service.ts'

const holders = 6
/** Between two exchanges of a client, which may ask 600 times a minute. */
const pause_ms = 100
/** A refused presentation counts against a client, which may have 60 in ten minutes: so not every turn is a race. */
const turns_per_race = 4
/** An answer that stays away this long is given up: beyond 10 s its token would be a stolen one. */
const patience_ms = 5_000
const limit_ms = 60_000

export interface Counted {
  /** Exchanges whose tokens arrived. */
  exchanged: number
  /** Exchanges that were committed and whose answer was lost: the client was refused cleanly and connected anew. */
  lost: number
  /** Nothing was answered in time. */
  given_up: number
}

export interface TokenHolders {
  /** Waits until so many more exchanges succeeded. */
  progress(exchanges: number): Promise<void>
  /** Ends the load; answers what each client holds. */
  stop(): Promise<{ held: Connection[]; counted: Counted }>
}

/** Clients that exchange their refresh tokens without pause, at whichever process answers, and now and then at all at once. */
export async function holdTokens(services: readonly RemoteService[], user: SignedIn): Promise<TokenHolders> {
  const counted: Counted = { exchanged: 0, lost: 0, given_up: 0 }
  let running = true
  const hold = async () => {
    const client_id = await eventually(services, async (service) => (await register(service)).client_id)
    const begin = () => eventually(services, (service) => connectAgain(service, client_id, user))
    let held = await begin()
    for (let turn = 0; running; turn += 1) {
      const asked = turn % turns_per_race === 0 ? services : services.slice(turn % services.length).slice(0, 1)
      const next = await exchange(asked, services, held)
      if (typeof next === 'string') counted[next] += 1
      else counted.exchanged += 1
      held = typeof next === 'string' ? await begin() : next
      await delay(pause_ms)
    }
    return held
  }
  const all = Promise.all(Array.from({ length: holders }, hold))
  // Looked at when the load is stopped.
  all.catch(() => undefined)
  return {
    async progress(exchanges) {
      const wanted = counted.exchanged + exchanges
      const until = Date.now() + limit_ms
      while (counted.exchanged < wanted) {
        assert.ok(Date.now() < until, `${counted.exchanged} of ${wanted} exchanges after ${limit_ms} ms`)
        await Promise.race([delay(10), all])
      }
    },
    async stop() {
      running = false
      return { held: await all, counted }
    },
  }
}

/** Presents a token until it is certain what came of it. */
async function exchange(
  first: readonly RemoteService[],
  services: readonly RemoteService[],
  held: Connection,
): Promise<Connection | 'lost' | 'given_up'> {
  const until = Date.now() + patience_ms
  let asked = first
  while (Date.now() < until) {
    const answers = await Promise.all(
      asked.map((service) => refresh(service, held.client_id, held.refresh_token).catch(() => null)),
    )
    const winners = answers.flatMap((answer) => (answer?.status === 200 ? [answer] : []))
    assert.ok(winners.length <= 1, 'one token was exchanged twice')
    const [winner] = winners
    if (winner) return { ...held, ...winner.body }
    const refusals = answers.filter((answer) => answer !== null)
    if (refusals.map(isRefused).includes(true)) return 'lost'
    await delay(50)
    asked = services
  }
  return 'given_up'
}

/** Refused for good; what is our own fault must look like nothing else. */
function isRefused({ status, body, headers }: TestAnswer): boolean {
  const words = `${status} ${body.error}`
  assert.match(words, /^(400 invalid_grant|503 temporarily_unavailable)$/)
  if (status === 503) assert.match(String(headers['retry-after']), /^\d+$/)
  return status === 400
}

async function connectAgain(service: RemoteService, client_id: string, user: SignedIn): Promise<Connection> {
  const code = await obtainCode(service, client_id, user, { resource: `${service.origin}/rest/v2` })
  const { status, body } = await redeem(service, code)
  assert.equal(status, 200, JSON.stringify(body))
  return { client_id, ...body }
}

/** Asks the process that is there, as often as it takes. */
async function eventually<T>(
  services: readonly RemoteService[],
  work: (service: RemoteService) => Promise<T>,
): Promise<T> {
  const until = Date.now() + limit_ms
  for (let turn = 0; ; turn += 1) {
    const service = services[turn % services.length]
    try {
      if (service) return await work(service)
    } catch (error) {
      if (Date.now() > until) throw error
      await delay(100)
    }
  }
}
