import { scopesToAskFor } from '#core/authorise.ts'
import { insufficientScope } from '#core/problems/problems.ts'
import { type Check, calledTool } from '../exchange.ts'
import { Refusal } from '../refusal.ts'
import type { Tool } from '../tool.ts'
import { passes } from '../tool-filter.ts'

/**
 * A caller who lacks the scope of a tool is asked for it (step-up: RFC 6750 §3.1, MCP authorization). Any one of an
 * operation's scopes suffices, so the challenge names the least. A role that forbids the call, or cannot give the
 * scope, is not challenged: a client would ask for ever. Its refusal is the operation's.
 */
export function requireScope(tools: ReadonlyMap<string, Tool>, challenge: string): Check {
  return (exchange) => {
    const { caller, filter } = exchange
    const tool = tools.get(calledTool(exchange) ?? '')
    if (caller === null || tool === undefined || !passes(filter, tool)) return
    const lacking = scopesToAskFor(caller, tool.operation.definition)
    const [least] = [...lacking].sort()
    if (least === undefined) return
    throw new Refusal({
      status: 403,
      code: 403,
      message: `This tool needs the scope ${least}.`,
      data: { required_scopes: lacking },
      headers: { 'WWW-Authenticate': `${challenge}, error="insufficient_scope", scope="${least}"` },
      problem: insufficientScope(undefined, { members: { required_scopes: lacking } }),
    })
  }
}
