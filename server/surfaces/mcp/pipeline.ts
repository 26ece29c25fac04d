import { requireCaller } from './checks/caller.ts'
import { type CredentialParts, refuseImpossible, resolveCredential } from './checks/credential.ts'
import { classify } from './checks/era.ts'
import { readFilters } from './checks/filters.ts'
import { checkHost } from './checks/host.ts'
import { readMessage } from './checks/message.ts'
import { checkMethod } from './checks/method.ts'
import { checkOrigin } from './checks/origin.ts'
import { checkParams } from './checks/params.ts'
import { requireScope } from './checks/scope.ts'
import type { Check, Exchange } from './exchange.ts'
import { type Serving, serve } from './serve.ts'
import type { Tool } from './tool.ts'

export interface PipelineParts extends Serving {
  /** Host names that are ours. */
  host_names: ReadonlySet<string>
  /** Origins whose pages may call, beside those of programs on the reader's own computer. */
  origins: ReadonlySet<string>
  tools: ReadonlyMap<string, Tool>
  /** Null leaves the steps of the credential out: for a conformance suite, which has none. No setting reaches it. */
  credentials: CredentialParts | null
}

export interface Pipeline {
  /** Before anything but the head of the request is looked at, preflights too. */
  host_and_origin: readonly Check[]
  /** Before the body is read. */
  head: readonly Check[]
  message: readonly Check[]
  answer(exchange: Exchange): Promise<Response>
}

/**
 * What is checked, in this order (authorization design §8). Step 1, HTTPS, is the listener's; 6, the size of the body,
 * the framework's. Shape and headers come before the credential: a malformed request is malformed whoever sends it. Only
 * what cannot be a credential of the tool server is refused before its body is waited for.
 */
export function createPipeline({ host_names, origins, tools, credentials, ...serving }: PipelineParts): Pipeline {
  const toolsets = new Set([...tools.values()].map(({ toolset }) => toolset).sort())
  return {
    host_and_origin: [
      checkHost(host_names), //                           2  403
      checkOrigin(origins), //                            3  403
    ], //                                                 4  204 for OPTIONS
    head: [
      checkMethod, //                                     5  405
      ...(credentials === null ? [] : [refuseImpossible(credentials)]), // 401, 429
    ],
    message: [
      readMessage, //                                     7  415, 400 -32700, 400 -32600
      classify, //                                        8  400 -32022, 400 -32020
      readFilters(toolsets), //                              400 -32602
      ...(credentials === null
        ? []
        : [
            resolveCredential(credentials), //            9  401, 429
            requireCaller(credentials.challenge), //      10 401
            requireScope(tools, credentials.challenge), //11 403
          ]),
      checkParams, //                                        -32602
    ],
    answer: (exchange) => serve(exchange, serving), //    12
  }
}
