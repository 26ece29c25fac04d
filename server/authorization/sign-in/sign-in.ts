import { defineProblem } from '#core/problems/problem.ts'
import { Closed, Email, Type } from '#core/schema/schema.ts'
import { findUserByEmail, setPasswordHash } from '#identity/account.store.ts'
import { hashPassword, isOutdated, verifyPassword } from '#identity/password.ts'
import type { ConsoleAnswer, ConsoleEndpoint, ConsoleParts, ConsoleRequest } from '../console-endpoint.ts'
import { countAttempt } from './attempts.ts'
import { accountOf, beginSignedIn } from './begin-signed-in.ts'

export const signInRefused = defineProblem({
  code: 'sign_in_refused',
  status: 403,
  title: 'The e-mail address or the password is wrong',
  advice: 'Try again. The operator can make a link to choose a new password: `npx stint admin reset`.',
})

/** Longer than any password that can be chosen, so that a long wrong one is simply wrong. */
const password_characters_max = 1_000

const SignIn = Closed({
  email: Email,
  password: Type.String({ minLength: 1, maxLength: password_characters_max }),
})

export function signInEndpoint(parts: ConsoleParts): ConsoleEndpoint {
  return {
    operation: 'console.sign_in',
    method: 'POST',
    path: '/console/auth/session',
    input: SignIn,
    handle: (request) => signIn(parts, request),
  }
}

/** An unknown address, a wrong password and a disabled account take the same work and get the same words. */
async function signIn({ database, secrets }: ConsoleParts, request: ConsoleRequest): Promise<ConsoleAnswer> {
  // The casts hold because the input was checked against `SignIn`.
  const { email, password } = request.input as { email: string; password: string }
  const attempt = await countAttempt({ database, secrets }, request, accountOf(email))
  const account = await database.transaction({ role: 'lookup', read_only: true }, (tx) => findUserByEmail(tx, email))
  const isRight = await verifyPassword(password, account?.password_hash ?? null, { isAhead: attempt.isOfProvenDevice })
  if (!account?.password_hash || !isRight || account.disabled_at !== null) throw signInRefused()
  const { id: user_id, name, password_hash } = account
  const renewed = isOutdated(password_hash) ? await hashPassword(password) : password_hash
  const cookie = await database.transaction({ role: 'lookup' }, async (tx) => {
    // Holds the account until the session stands: a password that is being changed at this moment opens nothing.
    const isStill = await setPasswordHash(tx, { user_id, from: password_hash, to: renewed })
    if (!isStill) throw signInRefused()
    await attempt.succeed(tx)
    return beginSignedIn(tx, secrets, request, { user_id, email: account.email })
  })
  return { status: 201, body: { user_id, email: account.email, name }, cookie }
}
