import type { Answer, Call, Input } from '#core/call.ts'
import { invoke } from '#core/invoke.ts'
import { pathFields } from '#core/operation.ts'
import type { Runtime } from '#core/runtime.ts'
import type { Page } from '#core/schema/schema.ts'
import type { Tool } from './tool.ts'
import { shownResult, type ToolResult } from './tool-result.ts'
import { limit_default } from './tool-schema.ts'
import { answer_characters_max, rowsThatFit, withShortTexts } from './tool-text.ts'

export type ToolCall = Omit<Call, 'operation' | 'from_text' | 'input'> & { input: Input }

/** Performs the operation of a tool as a REST call would, and shows its answer to a model. */
export async function callTool(runtime: Runtime, tool: Tool, made: ToolCall): Promise<ToolResult> {
  const call = tool.is_list ? { ...made, input: { limit: limit_default, ...made.input } } : made
  const answer = await perform(runtime, tool, call)
  const json = jsonOf(tool, answer)
  if (fits(json)) return shownResult(json)
  return tool.is_list ? fewerRows(runtime, tool, call, answer) : shorterTexts(tool, call, answer)
}

async function perform(runtime: Runtime, { operation, omits }: Tool, call: ToolCall): Promise<Answer> {
  const answer = await invoke(runtime, { ...call, operation, from_text: false })
  if (omits.length === 0) return answer
  const page = answer.body as Page<Record<string, unknown>>
  return { ...answer, body: { ...page, data: page.data.map((row) => without(row, omits)) } }
}

function without(row: Record<string, unknown>, omitted: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !omitted.includes(name)))
}

/**
 * Every output of a tool is an object, which the listing checks; 204 has none. What is withheld is null like what is
 * empty, so the answer names its fields.
 */
function jsonOf({ operation }: Tool, { body, withheld }: Pick<Answer, 'body' | 'withheld'>): string {
  if (withheld.length === 0) return JSON.stringify(body ?? {})
  return JSON.stringify({ ...(body as object), withheld: operation.sensitive.fieldsOf(withheld) })
}

/** Measured with its null members, since that is what `structuredContent` holds. */
function fits(json: string): boolean {
  return json.length <= answer_characters_max
}

/** Reads once more, as many rows as fit, so that the cursor goes on exactly behind the last row shown. */
async function fewerRows(runtime: Runtime, tool: Tool, call: ToolCall, first: Answer): Promise<ToolResult> {
  const limit = Math.max(1, rowsThatFit((first.body as Page<unknown>).data))
  const again = await perform(runtime, tool, { ...call, input: { ...call.input, limit } })
  const page = again.body as Page<unknown>
  const json = jsonOf(tool, again)
  const shown = fits(json) ? json : jsonOf(tool, { ...again, body: withShortTexts(page) })
  const rest = page.has_more
    ? ` For the next ones call ${tool.name} with the same arguments and cursor ${JSON.stringify(page.cursor)}.`
    : ''
  return shownResult(shown, `These are ${page.data.length} of ${page.total_count} rows, as many as fit.${rest}`)
}

function shorterTexts(tool: Tool, { input }: ToolCall, answer: Answer): ToolResult {
  const { path } = tool.operation.definition
  const filled = pathFields(path).reduce((text, name) => text.replace(`:${name}`, String(input[name])), path)
  return shownResult(
    jsonOf(tool, { ...answer, body: withShortTexts(answer.body) }),
    `Long texts are cut; GET ${answer.location ?? filled} of the REST API has them whole.`,
  )
}
