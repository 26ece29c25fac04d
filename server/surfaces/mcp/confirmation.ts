import { type InputRequiredResult, inputRequired, inputResponse } from '@modelcontextprotocol/server'
import type { ToolRequest } from './checks.ts'

/** Effects of a dry run, with the digest that stands for them. */
export interface Rehearsal {
  digest: string
  events: { type: string; entry: unknown }[]
  postings: unknown[]
}

/** Name of the question among the input requests of a call. */
const question = 'confirm'

const capabilities = 'io.modelcontextprotocol/clientCapabilities'

/** True when the client can ask its user (MCP 2026-07-28, multi-round-trip requests and elicitation). */
export function canAsk({ classification, message }: ToolRequest): boolean {
  // The cast holds for any value: members are only looked for.
  const declared = (message.params?._meta as Record<string, unknown> | undefined)?.[capabilities]
  return classification !== null && Object.hasOwn(Object(declared), 'elicitation')
}

/** Asks the user at the client to agree to what the tool would do. */
export function askToAgree(title: string, args: object, { digest, events, postings }: Rehearsal): InputRequiredResult {
  const effects = [...new Set(events.map(({ type }) => type)), ...postings.map((posting) => JSON.stringify(posting))]
  const message = `${title}: ${JSON.stringify(args)}. It would cause: ${effects.join(', ') || 'nothing that is told'}.`
  return inputRequired({
    inputRequests: {
      [question]: inputRequired.elicit({
        mode: 'form',
        message: message.slice(0, 2_000),
        requestedSchema: {
          type: 'object',
          properties: { agreed: { type: 'boolean', title: 'I agree', description: 'Do exactly this.' } },
          required: ['agreed'],
        },
      }),
    },
    // No secret and no right: a client that made up another one would be refused as outdated, as with the argument `confirm`.
    requestState: digest,
  })
}

/** The digest that the user has agreed to; null when they did not agree, undefined when nobody was asked. */
export function agreementIn({ message }: ToolRequest): unknown {
  const { inputResponses, requestState } = (message.params ?? {}) as Record<string, unknown>
  // The cast holds because the SDK looks at each member before it is used.
  const answer = inputResponse(inputResponses as Record<string, unknown> | undefined, question)
  if (answer.kind === 'missing') return undefined
  const is_agreed = answer.kind === 'elicit' && answer.action === 'accept' && answer.content?.agreed === true
  return is_agreed ? requestState : null
}
