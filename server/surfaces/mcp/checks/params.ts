import type { Check } from '../exchange.ts'
import { Refusal, rpcCodes } from '../refusal.ts'

/** The params of a call, before the SDK looks at them: its words for a mistake are its validator's. */
export const checkParams: Check = ({ message }) => {
  if (!('id' in message) || message.method !== 'tools/call') return
  const { name, arguments: given } = (message.params ?? {}) as Record<string, unknown>
  if (typeof name !== 'string') throw invalid('name is the name of a tool, a text')
  if (given === undefined || (typeof given === 'object' && given !== null && !Array.isArray(given))) return
  throw invalid('arguments is an object whose members are the arguments of the tool')
}

function invalid(what: string): Refusal {
  return new Refusal({ status: 200, code: rpcCodes.invalid_params, message: `Invalid params: ${what}.` })
}
