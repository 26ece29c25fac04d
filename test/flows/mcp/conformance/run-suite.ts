import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const packageFile = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/package.json'))
const program = join(dirname(packageFile), 'dist', 'index.js')
const expected_failures = new URL('../../conformance-expected-failures.yml', import.meta.url).pathname

export interface Ran {
  status: number | null
  output: string
}

/** Runs the official conformance suite; `onOutput` sees everything it has printed so far. */
export async function runSuite(
  words: readonly string[],
  { environment = {}, onOutput }: { environment?: Record<string, string>; onOutput?: (output: string) => void } = {},
): Promise<Ran> {
  const results = await mkdtemp(join(tmpdir(), 'stint-conformance-'))
  const child = spawn(process.execPath, [program, ...words, '-o', results], {
    env: { PATH: process.env.PATH ?? '', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
      onOutput?.(output)
    })
  }
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve))
  await rm(results, { recursive: true, force: true })
  return { status, output }
}

/** Each line of the file has its reason; a line whose scenario passes fails the run. */
export const withExpectedFailures = ['--expected-failures', expected_failures]
