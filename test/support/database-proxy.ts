import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type pg from 'pg'

/** Stands between a client and its database, as a network or a pooler does. */
export interface DatabaseProxy {
  /** Through the proxy. */
  connection: pg.PoolConfig
  /** From now on nothing passes on the connections that are open, and nobody is told; new ones pass. */
  silence(): void
}

export interface ProxyOptions {
  port?: number
  /** Takes `options` out of what a connection asks for, as poolers do. */
  drops_options?: boolean
}

export async function startDatabaseProxy(
  t: TestContext,
  connection: pg.PoolConfig,
  { port = 0, drops_options = false }: ProxyOptions = {},
): Promise<DatabaseProxy> {
  const { host = '', port: server_port = 5432 } = connection
  const open = new Set<Socket>()
  const proxy = createServer((client) => {
    const server = host.startsWith('/') ? connect(join(host, `.s.PGSQL.${server_port}`)) : connect(server_port, host)
    for (const end of [client, server]) {
      open.add(end)
      end.on('error', () => undefined)
    }
    server.pipe(client)
    client.once('data', (first: Buffer) => {
      server.write(drops_options ? withoutOptions(first) : first)
      client.pipe(server)
    })
  })
  t.after(() => {
    for (const end of open) end.destroy()
    proxy.close()
  })
  proxy.listen(port, '127.0.0.1')
  await once(proxy, 'listening')
  return {
    connection: { ...connection, host: '127.0.0.1', port: (proxy.address() as AddressInfo).port },
    silence() {
      for (const end of open) {
        end.unpipe()
        end.removeAllListeners('data').resume()
      }
    },
  }
}

/** A start-up message: length, version, then names and values, each ended by a zero. */
function withoutOptions(message: Buffer): Buffer {
  const texts = message.toString('utf8', 8, message.length - 2).split('\0')
  const kept = texts.flatMap((name, index) => {
    const is_kept = index % 2 === 0 && name !== 'options'
    return is_kept ? [name, texts[index + 1] ?? ''] : []
  })
  const body = Buffer.from(`${kept.join('\0')}\0\0`)
  const head = Buffer.from(message.subarray(0, 8))
  head.writeInt32BE(head.length + body.length, 0)
  return Buffer.concat([head, body])
}
