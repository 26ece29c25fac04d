import { Session } from 'node:inspector/promises'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { hotWays, openWays, type Way } from '#test/hot-ways.ts'

const usage = `npm run files-on-a-call [-- --files --check]

Counts the own files (under server/) that a warm call runs through, by V8's precise coverage: those of which a function
ran between its beginning and its end. --files names them, --check fails over the bounds.
`

const warm_up_calls = 3
/** The least of these counts: work in the background, such as a sweep once a second, falls into some of them only. */
const measured_calls = 5

const { values } = parseArgs({
  options: { help: { type: 'boolean', short: 'h' }, files: { type: 'boolean' }, check: { type: 'boolean' } },
})
const server = fileURLToPath(new URL('../server', import.meta.url))

const session = new Session()
session.connect()

/** Returns the files under `server/` of which a function ran since the last call of this. */
async function filesRun(): Promise<Set<string>> {
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const ran = result.filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
  return new Set(
    ran
      .map(({ url }) => (url.startsWith('file:') ? relative(server, fileURLToPath(url)) : '..'))
      .filter((file) => !/^\.\.|\.test\.ts$/.test(file)),
  )
}

async function filesOf({ call }: Way, known: ReadonlySet<string>): Promise<string[]> {
  for (let calls = 0; calls < warm_up_calls; calls += 1) await call()
  let least: string[] | undefined
  for (let calls = 0; calls < measured_calls; calls += 1) {
    await filesRun()
    await call()
    const files = [...(await filesRun())].filter((file) => !known.has(file)).sort()
    if (!least || files.length < least.length) least = files
  }
  return least ?? []
}

if (values.help) {
  process.stdout.write(usage)
  process.exit()
}

await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
const { ways, close } = await openWays()
try {
  const found = new Map<string, string[]>()
  for (const way of ways) {
    const files = await filesOf(way, new Set(way.beyond ? found.get(way.beyond) : []))
    found.set(way.name, files)
    const beyond = way.beyond ? `, beside those of ${way.beyond}` : ''
    console.log(
      `${way.name.padEnd(24)}${String(files.length).padStart(3)} files (at most ${hotWays[way.name]}${beyond})`,
    )
    if (values.files) console.log(files.map((file) => `    ${file}`).join('\n'))
    if (values.check && files.length > hotWays[way.name]) process.exitCode = 1
  }
} finally {
  await close()
  session.disconnect()
}
