import { Client, type OAuthClientProvider, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { HttpsService } from '#test/https-service.ts'

export interface Called {
  isError?: boolean
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  structuredContent?: any
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  content?: any
}

/** The demands of the tests on a client of the protocol, whatever its release. */
export interface ToolClient {
  connect(): Promise<void>
  listTools(): Promise<{ name: string; title?: string | undefined }[]>
  callTool(name: string, args?: Record<string, unknown>): Promise<Called>
  /** After a redirect: the parameters that came back to the redirect URI. */
  finishAuth(parameters: URLSearchParams): Promise<void>
  version(): string | undefined
  close(): Promise<void>
}

export interface ClientOptions {
  token?: string
  authProvider?: OAuthClientProvider
  /** In place of the service's own. */
  fetch?: typeof fetch
  path?: string
}

const info = { name: 'Desk Assistant', version: '1' }

type Make = (service: Pick<HttpsService, 'origin' | 'fetch'>, options?: ClientOptions) => ToolClient

function makeClient(mode: 'legacy' | { pin: string }): Make {
  return (service, { token, authProvider, path = '/mcp' } = {}) => {
    const client = new Client(info, { versionNegotiation: { mode } })
    const open = () =>
      new StreamableHTTPClientTransport(new URL(`${service.origin}${path}`), {
        fetch: service.fetch,
        ...(authProvider && { authProvider }),
        ...(token !== undefined && { requestInit: { headers: { authorization: `Bearer ${token}` } } }),
      })
    let transport = open()
    return {
      connect: () => client.connect(transport),
      listTools: async () => (await client.listTools()).tools,
      callTool: (name, args = {}) => client.callTool({ name, arguments: args }) as Promise<Called>,
      async finishAuth(parameters) {
        await transport.finishAuth(parameters)
        await client.close()
        transport = open()
        await client.connect(transport)
      },
      version: () => client.getNegotiatedProtocolVersion(),
      close: () => client.close(),
    }
  }
}

/** The first generation of the official SDK, which most clients in use still are. */
const makeOlderClient: Make = (service, { token, authProvider, fetch = service.fetch, path = '/mcp' } = {}) => {
  const client = new OlderClient(info)
  const open = () =>
    new OlderTransport(new URL(`${service.origin}${path}`), {
      fetch,
      // The cast holds because the providers of the tests have what both releases ask of one.
      ...(authProvider && { authProvider: authProvider as never }),
      ...(token !== undefined && { requestInit: { headers: { authorization: `Bearer ${token}` } } }),
    })
  let transport = open()
  return {
    connect: () => client.connect(transport as never),
    listTools: async () => (await client.listTools()).tools,
    callTool: (name, args = {}) => client.callTool({ name, arguments: args }) as Promise<Called>,
    async finishAuth(parameters) {
      await transport.finishAuth(parameters.get('code') ?? '')
      await client.close()
      transport = open()
      await client.connect(transport as never)
    },
    version: () => transport.protocolVersion,
    close: () => client.close(),
  }
}

/** The official clients in both eras, by the names of the interoperability table, with the revision each must reach. */
export const officialClients: Record<string, { make: Make; version: string }> = {
  'sdk.v1': { make: makeOlderClient, version: '2025-11-25' },
  'sdk.v2-legacy': { make: makeClient('legacy'), version: '2025-11-25' },
  'sdk.v2-modern': { make: makeClient({ pin: '2026-07-28' }), version: '2026-07-28' },
}
