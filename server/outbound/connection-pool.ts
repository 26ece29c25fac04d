import type { Connection, Endpoint } from './connection.ts'

export interface PoolLimits {
  /** Idle connections kept for one (host, port, address). */
  connections_per_origin_max: number
  /** Idle connections kept in all; 1,000 of them weigh some 115 MB. */
  connections_idle_max: number
  /** Different (host, port, address) with idle connections. */
  origins_max: number
  /** A connection is not used again when older, so that a receiver's certificate is verified now and then. */
  connection_age_ms_max: number
}

interface Origin {
  readonly idle: Connection[]
  used_at_ms: number
}

/**
 * Idle connections by (host, port, address). Limits bound what is kept, not what is open: an attempt never waits for a
 * connection, because its deadline runs; how many run at once is the dispatcher's limit.
 */
export class ConnectionPool {
  readonly #limits: PoolLimits
  readonly #origins = new Map<string, Origin>()
  readonly #open = new Set<Connection>()
  #idle_count = 0

  constructor(limits: PoolLimits) {
    this.#limits = limits
  }

  get counts(): { open: number; idle: number } {
    return { open: this.#open.size, idle: this.#idle_count }
  }

  /** Counts a new connection until it closes. */
  add(connection: Connection) {
    this.#open.add(connection)
    connection.onClose(() => {
      this.#open.delete(connection)
      this.#forget(connection)
    })
  }

  /** The idle connection used last to one of these endpoints; the others may expire. */
  take(endpoints: readonly Endpoint[]): Connection | null {
    for (const { key } of endpoints) {
      const origin = this.#origins.get(key)
      if (!origin) continue
      for (let connection = origin.idle.pop(); connection; connection = origin.idle.pop()) {
        this.#idle_count--
        if (origin.idle.length === 0) this.#origins.delete(key)
        if (connection.usable && performance.now() - connection.opened_at_ms < this.#limits.connection_age_ms_max)
          return connection
        connection.destroy()
      }
    }
    return null
  }

  /** Takes a connection back; one that cannot be used again, or for which there is no room, is closed. */
  give(connection: Connection) {
    if (!connection.usable) return connection.destroy()
    const origin = this.#origins.get(connection.key) ?? { idle: [], used_at_ms: 0 }
    if (origin.idle.length >= this.#limits.connections_per_origin_max) return connection.destroy()
    this.#origins.set(connection.key, origin)
    origin.used_at_ms = performance.now()
    origin.idle.push(connection)
    this.#idle_count++
    while (this.#origins.size > this.#limits.origins_max || this.#idle_count > this.#limits.connections_idle_max)
      this.#evict()
  }

  destroy() {
    for (const connection of this.#open) connection.destroy()
    this.#origins.clear()
    this.#idle_count = 0
  }

  #forget(connection: Connection) {
    const origin = this.#origins.get(connection.key)
    const index = origin?.idle.indexOf(connection) ?? -1
    if (index < 0) return
    origin?.idle.splice(index, 1)
    this.#idle_count--
    if (origin?.idle.length === 0) this.#origins.delete(connection.key)
  }

  // A scan of at most origins_max entries, on a path that has just paid about 1 ms for a handshake.
  #evict() {
    let oldest: [string, Origin] | null = null
    for (const entry of this.#origins) if (!oldest || entry[1].used_at_ms < oldest[1].used_at_ms) oldest = entry
    if (!oldest) return
    this.#origins.delete(oldest[0])
    this.#idle_count -= oldest[1].idle.length
    for (const connection of oldest[1].idle) connection.destroy()
  }
}
