import { connect } from 'node:net'
import type { Config } from '#boot/config.ts'
import { tell } from './settings.ts'

const connect_timeout_ms = 500

/**
 * Says what to do about a link to a port of this machine where nothing listens: most likely the service was started
 * with a STINT_PORT that this command was not given.
 */
export async function tellUnanswered({ STINT_BASE_URL, STINT_AUTH_URL, STINT_PORT: port }: Config): Promise<void> {
  if (STINT_BASE_URL || STINT_AUTH_URL || (await isListening(port))) return
  tell(
    `nothing listens on localhost:${port}: if the service has another port, put it into the link, and set STINT_PORT here too`,
  )
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: 'localhost', port, timeout: connect_timeout_ms })
    const answer = (is_listening: boolean) => {
      socket.destroy()
      resolve(is_listening)
    }
    socket.once('connect', () => answer(true))
    socket.once('timeout', () => answer(false))
    socket.once('error', () => answer(false))
  })
}
