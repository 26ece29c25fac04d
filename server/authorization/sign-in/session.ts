import { endedCookie, endSession } from '#identity/sessions/index.ts'
import { anyAccount } from '#identity/set-up-links/index.ts'
import type { ConsoleEndpoint, ConsoleParts } from '../console-endpoint.ts'

/** Who is signed in; null is an answer and no error, since every page asks. `is_new`: nobody has an account yet. */
export function showSession({ database }: ConsoleParts): ConsoleEndpoint {
  return {
    operation: 'console.session',
    method: 'GET',
    path: '/console/auth/session',
    async handle(request) {
      const session = await request.session()
      if (session) return { body: { session, is_new: false } }
      const exists = await database.transaction({ role: 'lookup', read_only: true }, anyAccount)
      return { body: { session: null, is_new: !exists } }
    },
  }
}

export function signOut({ database }: ConsoleParts): ConsoleEndpoint {
  return {
    operation: 'console.sign_out',
    method: 'DELETE',
    path: '/console/auth/session',
    async handle(request) {
      await endSession(database, request)
      return { status: 204, cookie: endedCookie }
    },
  }
}
