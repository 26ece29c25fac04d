import type { ServerResponse } from 'node:http'
import type { ServerHttp2Session } from 'node:http2'
import type { Socket } from 'node:net'

/** Every open connection of the listener, and what runs on those that speak HTTP/1.1; HTTP/2 sessions know it themselves. */
export class Connections {
  readonly #sockets = new Set<Socket>()
  readonly #http1 = new Map<Socket, Set<ServerResponse>>()
  #draining = false

  accept(socket: Socket): void {
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
  }

  /** A connection, with or without TLS, that is ready for HTTP/1.1 requests. */
  openHttp1(socket: Socket): void {
    this.#http1.set(socket, new Set())
    socket.once('close', () => this.#http1.delete(socket))
    if (this.#draining) socket.destroySoon()
  }

  openHttp2(session: ServerHttp2Session): void {
    if (this.#draining) session.close()
  }

  startHttp1(socket: Socket, response: ServerResponse): void {
    const running = this.#http1.get(socket)
    if (!running) return // the client is gone already
    running.add(response)
    if (this.#draining) response.setHeader('Connection', 'close')
    response.once('close', () => {
      running.delete(response)
      if (this.#draining && running.size === 0) socket.destroySoon()
    })
  }

  /** Closes what is idle now, and each other HTTP/1.1 connection when its last answer is out, which says so if it can. */
  drain(): void {
    this.#draining = true
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy()
    for (const [socket, running] of this.#http1) {
      const last = [...running].at(-1)
      if (!last) socket.destroySoon()
      else if (!last.headersSent) last.setHeader('Connection', 'close')
    }
  }

  destroyAll(): void {
    for (const socket of this.#sockets) socket.destroy()
  }
}
