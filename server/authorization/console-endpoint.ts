import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { validationFailed } from '#core/problems.ts'
import type { TSchema } from '#core/schema/schema.ts'
import { compileInput } from '#core/schema/validate.ts'
import { refuseForeignRequest } from '#identity/console-request.ts'
import { currentSession, type Session } from '#identity/session.store.ts'
import type { FlowParts } from './clients/clients.ts'

/** One endpoint that only the pages of the console may call: no token opens it, and it knows who is signed in. */
export interface ConsoleEndpoint {
  /** Names it in logs and metrics, e.g. `console.sign_in`. */
  operation: string
  method: 'GET' | 'POST' | 'DELETE'
  path: `/console/auth/${string}`
  /** Schema of the JSON body; without one a body is not looked at. */
  input?: TSchema
  handle(request: ConsoleRequest, parts: FlowParts): Promise<ConsoleAnswer>
}

export interface ConsoleRequest {
  /** The body after its check; `{}` where the endpoint declares none. */
  input: Record<string, unknown>
  params: Record<string, string>
  headers: IncomingHttpHeaders
  /** The signed-in user; asked anew at every call. */
  session(): Promise<Session | null>
  /** Address of the client, and the network that limits count it by. */
  address: string
  network: string
  request_id: string
}

export interface ConsoleAnswer {
  status?: 200 | 201 | 204
  body?: unknown
  /** `Set-Cookie`, one or several. */
  cookie?: string | readonly string[]
}

/** A decision on 22 scopes is 2 KiB. */
const body_bytes_max = 65_536

/** Mounts endpoints of the console's own pages; refusals are problem documents as everywhere else. */
export function mountConsoleEndpoints(
  app: FastifyInstance,
  endpoints: readonly ConsoleEndpoint[],
  parts: FlowParts,
): void {
  const { runtime, addresses, networkOf } = parts
  for (const { operation, method, path, input, handle } of endpoints) {
    const validate = input && compileInput(input)
    app.route({
      method,
      url: path,
      bodyLimit: body_bytes_max,
      onRequest: async (request) => {
        request.operation = operation
        refuseForeignRequest(request.headers, addresses.auth_url)
      },
      async handler(request, reply) {
        const { headers, client_address: address, id: request_id } = request
        const read = validate?.(request.body, false) ?? { ok: true, value: {} }
        if (!read.ok) throw validationFailed(undefined, { errors: read.errors })
        const own: ConsoleRequest = {
          ...{ input: read.value, headers, address, request_id, network: networkOf(address) },
          params: request.params as Record<string, string>,
          session: () => currentSession(runtime.database, request),
        }
        const { status = 200, body, cookie } = await handle(own, parts)
        if (cookie) reply.header('Set-Cookie', [cookie].flat())
        reply.code(status)
        if (status === 204) return reply.send()
        return reply.type('application/json; charset=utf-8').send(JSON.stringify(body))
      },
    })
  }
}
