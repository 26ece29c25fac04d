import { Session } from 'node:inspector/promises'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { contractBody, createContract } from '#test/factories.ts'
import { connect, refresh, signIn } from '#test/oauth.ts'
import { callTool, createMember } from '#test/tool-client.ts'
import { startWebhookBench } from '#test/webhook-bench.ts'

const usage = `npm run files-on-a-call [-- --files --check]

Counts the own files (under server/) that a warm call runs through, by V8's precise coverage: those of which a function
ran between its beginning and its end. --files names them, --check fails over the bounds.
`

interface Way {
  name: string
  files_max: number
  call(): Promise<unknown>
  /** A way that this one goes on from; its files are not counted again. */
  beyond?: string
}

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

/** The ways of a call in the service of the tests, on the embedded database. */
async function openWays() {
  const bench = await startWebhookBench()
  const { service } = bench
  // As in production, where nobody checks our own answers against their schemas.
  Object.assign(service.runtime, { strict: false })
  await createContract(service)
  const { token } = await createMember(service)
  const connection = await connect(service, await signIn(service))
  let { refresh_token } = connection
  const ways: Way[] = [
    {
      name: 'POST /contracts',
      files_max: 25,
      call: () => service.call('POST', '/contracts', { body: contractBody(service) }),
    },
    { name: 'GET /contracts', files_max: 20, call: () => service.call('GET', '/contracts') },
    {
      name: 'refresh at /oauth/token',
      files_max: 20,
      async call() {
        const { status, body } = await refresh(service, connection.client_id, refresh_token)
        if (status !== 200) throw new Error(`the refresh answered ${status}`)
        refresh_token = body.refresh_token
      },
    },
    { name: 'tool call at /mcp', files_max: 25, call: () => callTool(service, token, 'list_contracts') },
    {
      name: 'emit → attempt recorded',
      files_max: 20,
      beyond: 'POST /contracts',
      call: () => sendAndRecord(bench),
    },
  ]
  return { ways, close: () => bench.close() }
}

let subscription: string | undefined

/** Creates a contract and waits for the attempt at its event to be in the database. */
async function sendAndRecord(bench: Awaited<ReturnType<typeof startWebhookBench>>): Promise<void> {
  const { service } = bench
  if (!subscription) {
    subscription = (await bench.subscribe({ events: ['contract.created'] })).id
    service.dispatcher.start()
  }
  const known = service.logged.length
  await createContract(service)
  const limit_ms = performance.now() + 10_000
  while (!service.logged.slice(known).some((line) => line.includes('webhook_attempt"'))) {
    if (performance.now() > limit_ms) throw new Error('no attempt was recorded within 10 s')
    await new Promise((resolve) => setImmediate(resolve))
  }
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
    console.log(`${way.name.padEnd(24)}${String(files.length).padStart(3)} files (at most ${way.files_max}${beyond})`)
    if (values.files) console.log(files.map((file) => `    ${file}`).join('\n'))
    if (values.check && files.length > way.files_max) process.exitCode = 1
  }
} finally {
  await close()
  session.disconnect()
}
