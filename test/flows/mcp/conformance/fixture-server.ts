import { inputRequired, type Prompt, ProtocolError, type Resource, Server } from '@modelcontextprotocol/server'
import { supported_versions, type ToolRequest } from '#surfaces/mcp/checks.ts'
import { answersOf, asked, states } from './fixture-inputs.ts'
import { png, tools } from './fixture-tools.ts'

const invalid_params = -32_602

const user = (content: object) => ({ role: 'user' as const, content: content as { type: 'text'; text: string } })
const say = (words: string) => ({ messages: [user({ type: 'text', text: words })] })

const prompts: Record<
  string,
  { arguments?: Prompt['arguments']; get(args: Record<string, string>): ReturnType<typeof say> }
> = {
  test_simple_prompt: { get: () => say('This is a simple prompt for testing.') },
  test_prompt_with_arguments: {
    arguments: ['arg1', 'arg2'].map((name) => ({ name, description: `Argument ${name}`, required: true })),
    get: ({ arg1, arg2 }) => say(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`),
  },
  test_prompt_with_embedded_resource: {
    arguments: [{ name: 'resourceUri', description: 'Address of the resource', required: true }],
    get: ({ resourceUri: uri = '' }) => ({
      messages: [
        user({ type: 'resource', resource: { uri, mimeType: 'text/plain', text: 'Embedded.' } }),
        user({ type: 'text', text: 'Please process the embedded resource above.' }),
      ],
    }),
  },
  test_prompt_with_image: {
    get: () => ({
      messages: [
        user({ type: 'image', data: png, mimeType: 'image/png' }),
        user({ type: 'text', text: 'Please analyze the image above.' }),
      ],
    }),
  },
  test_input_required_result_prompt: { get: () => say('With the context that was given.') },
}

const described = (uri: string, mimeType: string): Resource => ({
  uri,
  name: uri,
  description: `Resource ${uri}`,
  mimeType,
})
const resources = [
  described('test://static-text', 'text/plain'),
  described('test://static-binary', 'image/png'),
  described('test://watched-resource', 'text/plain'),
]

function read(uri: string) {
  const id = /^test:\/\/template\/(\w+)\/data$/.exec(uri)?.[1]
  if (id) return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify({ id, templateTest: true }) }] }
  if (uri === 'test://static-binary') return { contents: [{ uri, mimeType: 'image/png', blob: png }] }
  if (resources.some((resource) => resource.uri === uri)) {
    return { contents: [{ uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }] }
  }
  throw new ProtocolError(invalid_params, 'Resource not found', { uri })
}

/** A server of one request with everything that the conformance suite asks for, behind our own checks. */
export function createFixtureServer({ classification }: ToolRequest): Server {
  const hint = { ttlMs: 1_000, cacheScope: 'public' } as const
  const capabilities = {
    tools: {},
    prompts: {},
    // In 2026-07-28 it would promise event streams that a client keeps open, which ours never serves.
    resources: classification === null ? { subscribe: true } : {},
    logging: {},
    completions: {},
  }
  const server = new Server(
    { name: 'fixture', version: '1' },
    {
      capabilities,
      supportedProtocolVersions: supported_versions,
      requestState: { verify: states.verify },
      cacheHints: {
        'tools/list': hint,
        'prompts/list': hint,
        'resources/list': hint,
        'resources/templates/list': hint,
        'resources/read': hint,
        'server/discover': hint,
      },
    },
  )
  server.setRequestHandler('server/discover', () => ({ supportedVersions: supported_versions, capabilities }))
  offerTools(server)
  offerPrompts(server)
  offerResources(server)
  server.setRequestHandler('completion/complete', () => ({
    completion: { values: ['paris', 'park'], total: 2, hasMore: false },
  }))
  return server
}

function offerTools(server: Server): void {
  const listed = Object.keys(tools).map((name) => ({
    name,
    description: `The tool ${name} of the conformance suite`,
    inputSchema: { type: 'object' as const },
  }))
  server.setRequestHandler('tools/list', () => ({ tools: listed }))
  server.setRequestHandler('tools/call', (request, context) => {
    const tool = Object.hasOwn(tools, request.params.name) ? tools[request.params.name] : undefined
    if (!tool) throw new ProtocolError(invalid_params, 'There is no tool of this name.')
    return tool(context, request)
  })
}

function offerPrompts(server: Server): void {
  const listed = Object.entries(prompts).map(([name, prompt]) => ({
    name,
    description: `The prompt ${name} of the conformance suite`,
    ...(prompt.arguments && { arguments: prompt.arguments }),
  }))
  server.setRequestHandler('prompts/list', () => ({ prompts: listed }))
  server.setRequestHandler('prompts/get', ({ params }, context) => {
    const prompt = Object.hasOwn(prompts, params.name) ? prompts[params.name] : undefined
    if (!prompt) throw new ProtocolError(invalid_params, 'There is no prompt of this name.')
    if (params.name === 'test_input_required_result_prompt' && !answersOf(context).user_context) {
      return inputRequired({
        inputRequests: { user_context: asked.form('What context should the prompt use?', 'context') },
      })
    }
    return prompt.get(params.arguments ?? {})
  })
}

function offerResources(server: Server): void {
  server.setRequestHandler('resources/list', () => ({ resources }))
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'template', description: 'A template' }],
  }))
  server.setRequestHandler('resources/read', ({ params }) => read(params.uri))
  server.setRequestHandler('resources/subscribe', () => ({}))
  server.setRequestHandler('resources/unsubscribe', () => ({}))
}
