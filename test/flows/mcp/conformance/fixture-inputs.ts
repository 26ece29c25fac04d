import { createHash } from 'node:crypto'
import { createRequestStateCodec, inputRequired, type ServerContext } from '@modelcontextprotocol/server'

/** A call as the handlers of the fixture read it. */
export interface Call {
  params: {
    name: string
    arguments?: Record<string, unknown> | undefined
    _meta?: { progressToken?: string | number | undefined } | undefined
  }
}

interface InputAnswer {
  content?: Record<string, unknown>
  roots?: unknown
}

/** The answers of the client to what was asked before, by the keys of the questions. */
export function answersOf({ mcpReq }: ServerContext): Record<string, InputAnswer | undefined> {
  return (mcpReq.inputResponses ?? {}) as Record<string, InputAnswer | undefined>
}

/** State that travels through the client, so signed. */
export const states = createRequestStateCodec({ key: createHash('sha256').update('conformance fixture').digest() })

export const stateOf = ({ mcpReq }: ServerContext): unknown => mcpReq.requestState()

/** Questions to the client. */
export const asked = {
  form: (message: string, field: string) =>
    inputRequired.elicit({
      message,
      requestedSchema: { type: 'object', properties: { [field]: { type: 'string' } }, required: [field] },
    }),
  get name() {
    return asked.form('What is your name?', 'name')
  },
  get confirm() {
    return inputRequired.elicit({
      message: 'Please confirm',
      requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] },
    })
  },
  get roots() {
    return inputRequired.listRoots()
  },
  sampling: (words: string) =>
    inputRequired.createMessage({
      messages: [{ role: 'user', content: { type: 'text', text: words } }],
      maxTokens: 100,
    }),
  state: (state: string, context: ServerContext) => states.mint(state, context),
}
