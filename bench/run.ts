import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { auditSeal } from './audit-seal.ts'
import { authorization } from './authorization.ts'
import { byHand } from './by-hand.ts'
import { claimers } from './claimers.ts'
import { closing } from './closing.ts'
import { consoleLists } from './console-lists.ts'
import { create } from './create.ts'
import { delivery } from './delivery.ts'
import { fairness } from './fairness.ts'
import { growth } from './growth.ts'
import { largeList } from './large-list.ts'
import { latency } from './latency.ts'
import { list } from './list.ts'
import { lists } from './lists.ts'
import { memory } from './memory.ts'
import { retention } from './retention.ts'
import { rowSecurity } from './row-security.ts'
import { scale } from './scale.ts'
import { scim } from './scim.ts'
import { sender } from './sender.ts'
import { start } from './start.ts'
import type { Benchmark, Extent, Result } from './support/benchmark.ts'
import { describeMachine } from './support/machine.ts'
import { jsonOf, printResult } from './support/report.ts'
import { toolCall } from './tool-call.ts'

const benchmarks: readonly Benchmark[] = [
  start,
  memory,
  list,
  largeList,
  lists,
  growth,
  rowSecurity,
  create,
  byHand,
  closing,
  authorization,
  retention,
  delivery,
  latency,
  fairness,
  claimers,
  sender,
  toolCall,
  consoleLists,
  scim,
  auditSeal,
  scale,
]

const usage = `npm run bench [name…] [-- --json file --rounds n --round-ms n --rows n --deliveries n --minutes n]

${benchmarks.map(({ name, summary }) => `  ${name.padEnd(14)}${summary}`).join('\n')}

BENCH_DATABASE_URL=postgres://user@host/name measures on that server, in databases of its own; unset: the embedded one.
`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: 'boolean', short: 'h' },
    json: { type: 'string' },
    rounds: { type: 'string', default: '7' },
    'round-ms': { type: 'string', default: '1000' },
    rows: { type: 'string', default: '1000000' },
    deliveries: { type: 'string', default: '50000' },
    minutes: { type: 'string', default: '20' },
  },
})

async function run(chosen: readonly Benchmark[], extent: Extent): Promise<void> {
  const machine = describeMachine()
  console.log(Object.entries(machine).flat().join(' '))
  const results = new Map<string, Result>()
  for (const benchmark of chosen) {
    const result = await benchmark.run(extent)
    printResult(benchmark.name, result)
    results.set(benchmark.name, result)
  }
  if (values.json) await writeFile(values.json, jsonOf(results, machine, extent))
}

const unknown = positionals.filter((name) => !benchmarks.some((benchmark) => benchmark.name === name))
if (values.help || unknown.length > 0) {
  process.stdout.write(unknown.length > 0 ? `there is no benchmark ${unknown.join(', ')}\n\n${usage}` : usage)
  process.exitCode = unknown.length > 0 ? 2 : 0
} else {
  const chosen = benchmarks.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
  await run(chosen, {
    rounds: Number(values.rounds),
    round_ms: Number(values['round-ms']),
    rows: Number(values.rows),
    deliveries: Number(values.deliveries),
    minutes: Number(values.minutes),
  })
}
