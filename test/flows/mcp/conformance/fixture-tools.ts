import { type CallToolResult, inputRequired, type ServerContext } from '@modelcontextprotocol/server'
import { answersOf, asked, type Call, stateOf } from './fixture-inputs.ts'

export type Answer = CallToolResult | ReturnType<typeof inputRequired>

/** The smallest PNG and the smallest WAV: a pixel, and no sound at all. */
export const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
const wav = Buffer.from(
  'RIFF$\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data\0\0\0\0',
  'latin1',
)

const text = (words: string): CallToolResult => ({ content: [{ type: 'text', text: words }] })
const image = { type: 'image', data: png, mimeType: 'image/png' } as const

async function withLogging({ mcpReq }: ServerContext): Promise<CallToolResult> {
  for (const words of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
    await mcpReq.log('info', words)
  }
  return text('Logged three times.')
}

async function withProgress({ mcpReq }: ServerContext, { params }: Call): Promise<CallToolResult> {
  const progressToken = params._meta?.progressToken
  if (progressToken === undefined) return text('Nobody asked for progress.')
  for (const progress of [0, 50, 100]) {
    await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } })
  }
  return text(`Reported for ${String(progressToken)}.`)
}

/** The tools that the conformance suite asks its server to offer, by the names that its scenarios call. */
export const tools: Record<string, (context: ServerContext, call: Call) => Answer | Promise<Answer>> = {
  test_simple_text: () => text('This is a simple text response for testing.'),
  test_image_content: () => ({ content: [image] }),
  test_audio_content: () => ({ content: [{ type: 'audio', data: wav.toString('base64'), mimeType: 'audio/wav' }] }),
  test_embedded_resource: () => ({
    content: [
      { type: 'resource', resource: { uri: 'test://embedded-resource', mimeType: 'text/plain', text: 'Embedded.' } },
    ],
  }),
  test_multiple_content_types: () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      image,
      {
        type: 'resource',
        resource: { uri: 'test://mixed-content-resource', mimeType: 'application/json', text: '{"test":"data"}' },
      },
    ],
  }),
  test_error_handling: () => ({ ...text('This tool intentionally returns an error for testing'), isError: true }),
  test_tool_with_logging: withLogging,
  test_logging_tool: withLogging,
  test_tool_with_progress: withProgress,
  test_missing_capability: () => inputRequired({ inputRequests: { summary: asked.sampling('Summarise this.') } }),
  test_streaming_elicitation: () => inputRequired({ inputRequests: { user_name: asked.name } }),
  test_input_required_result_elicitation: (context) => {
    const name = answersOf(context).user_name?.content?.name
    return name === undefined ? inputRequired({ inputRequests: { user_name: asked.name } }) : text(`Hello, ${name}!`)
  },
  test_input_required_result_capabilities: (context) => {
    const offered =
      (context.mcpReq.envelope as Record<string, object>)['io.modelcontextprotocol/clientCapabilities'] ?? {}
    return inputRequired({
      inputRequests: {
        ...('elicitation' in offered && { user_name: asked.name }),
        ...('sampling' in offered && { capital_question: asked.sampling('What is the capital of France?') }),
        ...('roots' in offered && { client_roots: asked.roots }),
      },
    })
  },
  test_input_required_result_sampling: (context) => {
    const answer = answersOf(context).capital_question?.content?.text
    return answer === undefined
      ? inputRequired({ inputRequests: { capital_question: asked.sampling('What is the capital of France?') } })
      : text(String(answer))
  },
  test_input_required_result_list_roots: (context) => {
    const roots = answersOf(context).client_roots?.roots
    return roots === undefined
      ? inputRequired({ inputRequests: { client_roots: asked.roots } })
      : text(`Roots: ${JSON.stringify(roots)}`)
  },
  test_input_required_result_request_state: async (context) =>
    stateOf(context) === 'asked' && answersOf(context).confirm
      ? text('state-ok')
      : inputRequired({ inputRequests: { confirm: asked.confirm }, requestState: await asked.state('asked', context) }),
  test_input_required_result_tampered_state: async (context) =>
    stateOf(context) === 'asked' && answersOf(context).confirm
      ? text('state-ok')
      : inputRequired({ inputRequests: { confirm: asked.confirm }, requestState: await asked.state('asked', context) }),
  test_input_required_result_multiple_inputs: async (context) => {
    const { user_name, greeting, client_roots } = answersOf(context)
    if (stateOf(context) === 'asked' && user_name && greeting && client_roots) return text('All three were answered.')
    return inputRequired({
      inputRequests: {
        user_name: asked.name,
        greeting: asked.sampling('Generate a greeting'),
        client_roots: asked.roots,
      },
      requestState: await asked.state('asked', context),
    })
  },
  test_input_required_result_multi_round: async (context) => {
    const { step1, step2 } = answersOf(context)
    const state = stateOf(context)
    if (state === 'round 2' && step2) return text('Both steps were answered.')
    const [next, inputRequests] =
      state === 'round 1' && step1
        ? (['round 2', { step2: asked.form('Step 2: What is your favorite color?', 'color') }] as const)
        : (['round 1', { step1: asked.form('Step 1: What is your name?', 'name') }] as const)
    return inputRequired({ inputRequests, requestState: await asked.state(next, context) })
  },
}
