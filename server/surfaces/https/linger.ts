import type { Socket } from 'node:net'
import type { ListenerLimits } from './limits.ts'

export type LingerLimits = Pick<ListenerLimits, 'linger_timeout_ms' | 'linger_bytes_max'>

/**
 * Ends our side of a connection with a last text, and takes what the other side still sends for a while before
 * cutting it: closing with unread bytes makes the kernel send a reset, which can take the answer with it (RFC 9112 §9.6).
 */
export function endLingering(socket: Socket, limits: LingerLimits, text: string): void {
  let bytes = 0
  const cut = () => socket.destroy()
  const timer = setTimeout(cut, limits.linger_timeout_ms)
  socket.on('close', () => clearTimeout(timer)).on('error', cut)
  // A parser of HTTP gets no more of it: what follows must not be served.
  socket.removeAllListeners('data')
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > limits.linger_bytes_max) cut()
  })
  socket.end(text)
}
