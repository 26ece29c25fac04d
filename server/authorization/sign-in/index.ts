import type { ConsoleEndpoint, ConsoleParts } from '../console-endpoint.ts'
import { showSession, signOut } from './session.ts'
import { setUp, showSetUp } from './set-up.ts'
import { signInEndpoint } from './sign-in.ts'

/** What the pages for signing in and setting up call. */
export function signInEndpoints(parts: ConsoleParts): ConsoleEndpoint[] {
  return [signInEndpoint(parts), showSession(parts), signOut(parts), showSetUp(parts), setUp(parts)]
}
