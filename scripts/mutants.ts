import { spawn } from 'node:child_process'
import { cp, glob, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { endPostmaster, findPostmaster } from '@stint/embedded-postgres/postmaster.ts'
import { type Mutant, mutants } from '../test/mutants/mutants.ts'
import { type DatabaseServer, server_variable, startDatabaseServer } from '../test/support/server-of-run.ts'

const root = join(import.meta.dirname, '..')
const at_once = 2
const timeout_ms = 240_000
const not_copied = new Set(['node_modules', '.git', 'artifacts', 'dist'])

interface Outcome {
  /** Name of the first test that failed, or null when every test passed. */
  seen_by: string | null
  /** The reason why the mutant could not be tried. */
  mistake?: string
  seconds: number
}

/** A copy of the tree in which one mutant at a time is tried; the working tree is never touched. */
async function copyOfTree(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'stint-mutants-'))
  await cp(root, folder, {
    recursive: true,
    filter: (source) =>
      !relative(root, source)
        .split('/')
        .some((part) => not_copied.has(part)),
  })
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

/** The one file below the mutant's folder that holds its text, with the mistake made; throws unless it is found once. */
async function mutated(
  folder: string,
  { in: under, text, by }: Mutant,
): Promise<{ file: string; before: string; after: string }> {
  const found: { file: string; before: string; after: string }[] = []
  for await (const file of glob(`${under}{,/**/*.{ts,tsx,sql}}`, { cwd: folder })) {
    if (file.endsWith('.test.ts') || !/\.(tsx?|sql)$/.test(file)) continue
    const before = await readFile(join(folder, file), 'utf8')
    const places = before.split(text).length - 1
    if (typeof text === 'string' ? places > 0 : text.test(before)) {
      if (typeof text === 'string' && places > 1) throw new Error(`${file} holds the text ${places} times`)
      found.push({ file: join(folder, file), before, after: before.replace(text, by) })
    }
  }
  const [only, ...others] = found
  if (!only) throw new Error(`no file below ${under} holds the text any longer`)
  if (others.length > 0) throw new Error(`several files below ${under} hold the text`)
  if (only.before === only.after) throw new Error('the replacement changes nothing')
  return only
}

/** The first failure of a run in TAP: the name of the test and what is told of it. */
const failure = /^ *not ok \d+ - (.*)\n *---\n([\s\S]*?)\n *\.\.\.$/m

/** Runs test files until the first failure; answers the name of the test that failed. */
function firstFailure(
  folder: string,
  { tests, only }: Pick<Mutant, 'tests' | 'only'>,
  { connection, login, template }: DatabaseServer,
  temporary: string,
): Promise<string | null> {
  const env = { ...process.env, TMPDIR: temporary, [server_variable]: JSON.stringify({ connection, login, template }) }
  const pattern = only ? [`--test-name-pattern=${only}`] : []
  const child = spawn(
    process.execPath,
    ['--test', '--test-reporter=tap', '--test-concurrency=1', ...pattern, ...tests],
    {
      cwd: folder,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  const end = () => {
    // The group is the runner with its test files; it may have ended already.
    try {
      if (child.pid) process.kill(-child.pid, 'SIGKILL')
    } catch {}
  }
  return new Promise((resolve, reject) => {
    let output = ''
    const timer = setTimeout(() => {
      end()
      reject(new Error(`the tests took longer than ${timeout_ms} ms`))
    }, timeout_ms)
    child.stdout.on('data', (part: Buffer) => {
      output += part
      const failed = failure.exec(output)
      if (!failed) return
      clearTimeout(timer)
      end()
      // A mistake that lets no test begin is seen by none.
      if (failed[2]?.includes('hookFailed')) reject(new Error(`the tests could not begin: ${failed[0]}`))
      else resolve(failed[1] ?? '')
    })
    child.stderr.on('data', (part: Buffer) => {
      output += part
    })
    child.on('close', (code) => {
      clearTimeout(timer)
      if (code === 0 && /^# pass [1-9]/m.test(output)) resolve(null)
      else reject(new Error(`the tests did not run: ${output.slice(-500)}`))
    })
  })
}

/** Runs `firstFailure` with a folder for temporary files, and ends the database servers that killed tests left there. */
async function runTests(folder: string, tests: Pick<Mutant, 'tests' | 'only'>, server: DatabaseServer) {
  const temporary = await mkdtemp(join(tmpdir(), 'mutant-'))
  try {
    return await firstFailure(folder, tests, server, temporary)
  } finally {
    for await (const file of glob('**/postmaster.pid', { cwd: temporary })) {
      const cluster = dirname(join(temporary, file))
      const left = await findPostmaster(cluster)
      if (left) await endPostmaster(left.pid, cluster, 'immediate')
    }
    // A killed process may still be writing.
    await rm(temporary, { recursive: true, force: true, maxRetries: 10 })
  }
}

/** A mistake in a migration needs a server whose template was made with it. */
async function serverOfCopy(folder: string): Promise<DatabaseServer> {
  const { href } = pathToFileURL(join(folder, 'test/support/server-of-run.ts'))
  const copy: typeof import('../test/support/server-of-run.ts') = await import(href)
  return copy.startDatabaseServer()
}

async function tried(folder: string, mutant: Mutant): Promise<Outcome> {
  const started = performance.now()
  const seconds = () => (performance.now() - started) / 1_000
  try {
    const { file, before, after } = await mutated(folder, mutant)
    await writeFile(file, after)
    let own: DatabaseServer | undefined
    try {
      own = mutant.alone ? await serverOfCopy(folder) : undefined
      return { seen_by: await runTests(folder, mutant, own ?? server), seconds: seconds() }
    } finally {
      await own?.stop()
      await writeFile(file, before)
    }
  } catch (error) {
    return { seen_by: null, mistake: (error as Error).message, seconds: seconds() }
  }
}

/** Without a mistake every test passes, else its failure would prove nothing. */
async function untouched(folder: string, tests: readonly string[]): Promise<Outcome> {
  const started = performance.now()
  const failed = await runTests(folder, { tests }, server).catch((error: Error) => error.message)
  const mistake = failed === null ? {} : { mistake: `fails without a mistake: ${failed}` }
  return { seen_by: failed, seconds: (performance.now() - started) / 1_000, ...mistake }
}

/** Hands the work out to as many copies of the tree as work at once. */
async function inCopies<Item>(
  folders: readonly string[],
  items: readonly Item[],
  work: (folder: string, item: Item) => Promise<void>,
) {
  const waiting = [...items]
  await Promise.all(
    folders.map(async (folder) => {
      for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(folder, item)
    }),
  )
}

/** `--suite-passed`: the tests are known to pass without a mistake, as behind a run of the suite. */
const options = process.argv.slice(2).filter((word) => word.startsWith('--'))
const unknown = options.filter((option) => option !== '--suite-passed')
if (unknown.length > 0) {
  console.error(
    `npm run mutants -- [--suite-passed] [words]: makes the mistakes whose names hold one of the words, all without any. ${unknown.join(', ')} is no option.`,
  )
  process.exit(2)
}
const suite_passed = options.includes('--suite-passed')
const wanted = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const chosen = mutants.filter(({ name }) => wanted.length === 0 || wanted.some((word) => name.includes(word)))
const server = await startDatabaseServer()
const folders = await Promise.all(Array.from({ length: at_once }, copyOfTree))
let failures = 0
const started = performance.now()

function tell(name: string, { seen_by, mistake, seconds }: Outcome, is_wrong: boolean): void {
  if (is_wrong) failures += 1
  const words = mistake ?? seen_by ?? 'NOBODY'
  console.log(`${is_wrong ? '✖' : '✔'} ${name.padEnd(70)} ${seconds.toFixed(1).padStart(6)} s  ${words}`)
}

try {
  const files = suite_passed ? [] : [...new Set(chosen.flatMap(({ tests }) => tests))]
  await inCopies(folders, files, async (folder, file) => {
    const outcome = await untouched(folder, [file])
    if (outcome.mistake) tell(`${file} without a mistake`, outcome, true)
  })
  console.log(
    `${files.length - failures} of ${files.length} test files pass without a mistake (${((performance.now() - started) / 1_000).toFixed(0)} s)`,
  )
  await inCopies(folders, chosen, async (folder, mutant) => {
    const outcome = await tried(folder, mutant)
    tell(mutant.name, outcome, outcome.seen_by === null)
  })
} finally {
  await server.stop()
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
}
const seconds = ((performance.now() - started) / 1_000).toFixed(0)
console.log(`${chosen.length} mistakes, ${failures} failures, ${seconds} s`)
process.exitCode = failures > 0 ? 1 : 0
