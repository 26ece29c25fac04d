import type { InjectOptions } from 'fastify'
import { newId } from '#core/values.ts'
import { insertUser } from '#identity/account.store.ts'
import { hashPassword } from '#identity/password.ts'
import type { TestAnswer, TestService } from '#test/service.ts'

/** Headers that a browser sends along when a page of the console asks. */
export const pageHeaders = { 'stint-console': '1', 'sec-fetch-site': 'same-origin' }

/** Calls an endpoint of the console's pages as a browser does; `cookie` is what `Set-Cookie` began with. */
export async function callConsole(
  service: Pick<TestService, 'app'>,
  method: NonNullable<InjectOptions['method']>,
  path: string,
  {
    body,
    cookie,
    headers = {},
    address,
  }: { body?: unknown; cookie?: string; headers?: Record<string, string>; address?: string } = {},
): Promise<TestAnswer & { cookie: string | undefined }> {
  const answer = await service.app.inject({
    method,
    url: `/console/auth${path}`,
    ...(address && { remoteAddress: address }),
    headers: {
      ...pageHeaders,
      ...(cookie && { cookie }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { payload: JSON.stringify(body) }),
  })
  // A browser sends back all that it was given.
  const set = [answer.headers['set-cookie'] ?? []].flat()
  return {
    status: answer.statusCode,
    headers: answer.headers,
    body: answer.body === '' ? null : JSON.parse(answer.body),
    cookie: set.length > 0 ? set.map((one) => one.slice(0, one.indexOf(';'))).join('; ') : undefined,
  }
}

/** Each password is hashed once in a process: 35 ms of a processor. */
const hashes = new Map<string, Promise<string>>()

export function hashOf(password: string): Promise<string> {
  const hash = hashes.get(password) ?? hashPassword(password)
  hashes.set(password, hash)
  return hash
}

export async function addUser(
  { database, clock }: Pick<TestService, 'database' | 'clock'>,
  user: { email: string; password: string | null },
): Promise<string> {
  const id = newId(clock.now())
  const password_hash = user.password === null ? null : await hashOf(user.password)
  await database.database.transaction({ role: 'owner' }, (tx) =>
    insertUser(tx, { id, email: user.email, name: 'Nora Pine', password_hash }),
  )
  return id
}
