import assert from 'node:assert/strict'
import { Secret, TOTP } from 'otpauth'
import { grantMembership } from '#identity/account.store.ts'
import { createAuthenticator } from './authenticator.ts'
import { addUser, callConsole } from './console-caller.ts'
import { noteSecret } from './secrets.ts'
import type { TestService } from './service.ts'

const password = noteSecret('seven quiet herons')
const origin = 'https://stint.test'
const step_ms = 30_000

/** Somebody in a browser: keeps its cookies as a browser does. */
export class Person {
  readonly service: TestService
  readonly email: string
  readonly user_id: string
  readonly cookies = new Map<string, string>()
  secret = ''

  constructor(service: TestService, email: string, user_id: string) {
    this.service = service
    this.email = email
    this.user_id = user_id
  }

  async call(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown, address?: string) {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await callConsole(this.service, method, path, {
      ...{ body, cookie },
      ...(address && { address }),
    })
    for (const pair of answer.cookie?.split('; ') ?? []) {
      const at = pair.indexOf('=')
      this.cookies.set(pair.slice(0, at), pair.slice(at + 1))
    }
    return answer
  }

  /** The same account in another browser, which knows nothing yet. */
  elsewhere(): Person {
    const other = new Person(this.service, this.email, this.user_id)
    other.secret = this.secret
    return other
  }

  signIn(word = password) {
    return this.call('POST', '/session', { email: this.email, password: word })
  }

  async isSignedIn(): Promise<boolean> {
    return (await this.call('GET', '/session')).body.session !== null
  }

  /** The code of the app, some steps of 30 seconds from now. */
  code(steps = 0, secret = this.secret): string {
    const timestamp = this.service.clock.now() + steps * step_ms
    return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp })
  }

  /** Sets up an authenticator app; answers the recovery codes. */
  async setUpTotp(): Promise<string[]> {
    const offered = (await this.call('POST', '/account/totp/offer')).body
    this.secret = noteSecret(offered.secret)
    const set = await this.call('POST', '/account/totp', { offer: offered.offer, code: this.code() })
    assert.equal(set.status, 201, JSON.stringify(set.body))
    return (set.body.recovery_codes ?? []).map(noteSecret)
  }

  /** Adds a passkey; answers the authenticator that holds it. */
  async addPasskey(name = 'Laptop') {
    const authenticator = createAuthenticator(origin)
    const { options } = (await this.call('POST', '/account/passkeys/options')).body
    const passkey = authenticator.create(options)
    const added = await this.call('POST', '/account/passkeys', { name, passkey })
    assert.equal(added.status, 201, JSON.stringify(added.body))
    const recovery_codes: string[] = (added.body.recovery_codes ?? []).map(noteSecret)
    return { authenticator, id: added.body.id as string, recovery_codes }
  }

  /** The challenge that a browser is asked to sign, to sign in by passkey. */
  async passkeyOptions() {
    return (await this.call('POST', '/session/passkey-options')).body.options
  }
}

let people = 0

/** A member of the first organization with a password, in a browser of own. */
export async function newPerson(service: TestService, organization_id = service.organization.id): Promise<Person> {
  people += 1
  const email = `person-${people}@harbour.example`
  const user_id = await addUser(service, { email, password })
  await service.database.database.transaction({ role: 'owner', organization_id }, (tx) =>
    grantMembership(tx, organization_id, user_id, 'owner'),
  )
  return new Person(service, email, user_id)
}

export async function signedInPerson(service: TestService): Promise<Person> {
  const person = await newPerson(service)
  assert.equal((await person.signIn()).status, 201)
  return person
}
