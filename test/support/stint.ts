import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

const this_program = new URL('../../cli/stint.js', import.meta.url).pathname

export interface Ran {
  status: number | null
  out: string
  error: string
}

/** Runs the program as an operator does, with nothing of this environment but the search path. */
export function stint(
  words: string[],
  environment: Record<string, string> = {},
  input = '',
  program = this_program,
): Promise<Ran> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [program, ...words], {
      env: { PATH: process.env.PATH ?? '', ...environment },
    })
    let out = ''
    let error = ''
    child.stdout.on('data', (chunk) => {
      out += chunk
    })
    child.stderr.on('data', (chunk) => {
      error += chunk
    })
    child.on('close', (status) => resolve({ status, out, error }))
    // A program that refuses its words may end before it reads: its status tells, not the broken pipe.
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
  })
}

/** A data folder that goes with the test. */
export async function dataFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'stint-cli-'))
  // A service that the test ends after this still writes there.
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  return folder
}
