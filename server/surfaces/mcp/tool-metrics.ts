import { Counter } from 'prom-client'
import { metrics } from '#core/metrics.ts'

/** How a call ended: shown, refused by the operation, refused over HTTP, or by a defect of ours. */
export type ToolOutcome = 'ok' | 'problem' | 'refused' | 'defect'

export const toolCalls = new Counter({
  name: 'tool_calls_total',
  help: 'Calls of tools by their outcome; "unknown" are names that no tool has.',
  labelNames: ['tool', 'outcome'],
  registers: [metrics],
})
