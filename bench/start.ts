import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Benchmark, Extent, Outcome, Result } from './support/benchmark.ts'
import { firstAnswer_ms } from './support/first-answer.ts'
import { rounded, spreadOf } from './support/statistics.ts'

const commands: readonly [string, ...string[]][] = [
  ['npm', 'start'],
  [process.execPath, 'cli/stint.js', 'serve'],
]
const limits = { empty: 4_000, next: 1_500 }

/** G11: from the start of the command to the first answer over HTTPS, always with the embedded database. */
export const start: Benchmark = {
  name: 'start',
  summary: 'G11: `npm start` to the first answer, in an empty folder and the next time',
  async run({ rounds }: Extent): Promise<Result> {
    const empty = commands.map((): number[] => [])
    const next = commands.map((): number[] => [])
    const bare: number[] = []
    const folders = await mkdtemp(join(tmpdir(), 'stint-bench-'))
    for (let round = 0; round < rounds; round += 1) {
      for (const [index, command] of commands.entries()) {
        const folder = join(folders, `${round}-${index}`)
        empty[index]?.push(await firstAnswer_ms(command, folder))
        next[index]?.push(await firstAnswer_ms(command, folder))
      }
      bare.push(await emptyProgram_ms())
    }
    // Not after each round: where thousands of files have just been removed, ext4 makes new ones ten times slower.
    await rm(folders, { recursive: true })
    return {
      method: `ms from spawning the command to its first HTTPS answer, embedded database, ${rounds} rounds; node --eval 0 tells how fast the machine is`,
      rows: [
        ...commands.map((command, index) => ({
          command: command.join(' ').replace(process.execPath, 'node'),
          'empty folder ms': rounded(spreadOf(empty[index] ?? []).median),
          'next time ms': rounded(spreadOf(next[index] ?? []).median),
        })),
        { command: 'node --eval 0', 'empty folder ms': rounded(spreadOf(bare).median), 'next time ms': null },
      ],
      outcomes: [outcome('in an empty folder', empty[0], limits.empty), outcome('the next time', next[0], limits.next)],
    }
  },
}

function outcome(when: string, taken_ms: number[] = [], at_most: number): Outcome {
  return {
    goal: 'G11',
    what: `npm start to the first answer, ${when}`,
    measured: spreadOf(taken_ms),
    unit: 'ms',
    at_most,
  }
}

async function emptyProgram_ms(): Promise<number> {
  const began_ms = performance.now()
  await once(spawn(process.execPath, ['--eval', '0'], { stdio: 'ignore' }), 'exit')
  return performance.now() - began_ms
}
