import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { freePort, startServiceProcess, usedDataFolder } from '#test/process.ts'

const repository = new URL('../..', import.meta.url).pathname

/** The guide asks for curl and Python; where they are missing it cannot be followed. CI must have them. */
const missing = ['bash', 'curl', 'jq', 'python3'].find((program) => spawnSync(program, ['--version']).error)
const skip = missing && !process.env.CI ? `${missing} is not on this machine` : false

interface Snippet {
  /** `sh`, `sh service` or `sh receiver`. */
  kind: string
  text: string
}

async function snippetsOf(guide: string, kinds = 'sh'): Promise<Snippet[]> {
  const text = await readFile(join(repository, guide), 'utf8')
  const blocks = text.matchAll(new RegExp(`^\`\`\`((?:${kinds})[a-z ]*)\\n(.*?)^\`\`\`$`, 'gms'))
  return [...blocks].map(([, kind = '', body = '']) => ({ kind, text: body }))
}

test('the commands of the first-webhook guide do what it says', { skip }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'stint-guide-'))
  const [port, receiver_port] = [await freePort(), await freePort()]
  const here = (text: string) => text.replaceAll('8443', String(port)).replaceAll('9444', String(receiver_port))
  await symlink(join(repository, 'docs'), join(folder, 'docs'))
  const snippets = await snippetsOf('docs/guides/first-webhook.md')

  const service = await startService(snippets, join(folder, 'data'), port)
  t.after(async () => {
    await service.kill('SIGTERM')
    await rm(folder, { recursive: true, force: true })
  })
  const shell = startShell(folder)
  t.after(() => shell.process.kill())
  const run = (snippet: Snippet | undefined) =>
    shell.run(here(snippet?.text ?? '').replace(/stint_test_org_…/, service.token ?? ''))
  const [token, subscribe, create, list, read, enable, simulate] = snippets.filter(({ kind }) => kind === 'sh')

  assert.match(await run(token), /"name":"Harbour Pine"/)
  assert.match(await run(subscribe), /"signing_key":"whsec_/)
  const receiver = startReceiver(snippets, folder, here)
  t.after(() => receiver.process.kill())
  await receiver.prints(/receiver listens/)
  assert.match(await run(create), /"status":"pending"/)
  await receiver.prints(
    /^contract\.created [0-9a-f-]{36} \[\{.*"worker_email": "mira@example.org", "status": "pending"/m,
  )
  // The receiver prints before the service has its answer, and records it.
  let listed = await run(list)
  for (let look = 0; look < 50 && listed.includes('"status":"sending"'); look += 1) listed = await run(list)
  assert.match(listed, /"status":"succeeded"/)
  assert.match(await run(read), /"attempts":\[\{.*"total_ms":\d+/)
  assert.match(await run(enable), /"status":"active"/)
  assert.match(await run(simulate), /"is_simulation":true/)
  assert.equal(receiver.printed().includes('refused'), false)
})

/** Runs a guide from top to bottom on a service of its own; what a block shows behind it is what it has to print. */
async function follow(t: TestContext, guide: string) {
  const folder = await mkdtemp(join(tmpdir(), 'stint-guide-'))
  const [port, receiver_port] = [await freePort(), await freePort()]
  const here = (text: string) => text.replaceAll('8443', String(port)).replaceAll('9444', String(receiver_port))
  await symlink(join(repository, 'docs'), join(folder, 'docs'))
  const blocks = await snippetsOf(guide, 'sh|text')
  const service = await startService(blocks, join(folder, 'data'), port)
  t.after(async () => {
    await service.kill('SIGTERM')
    await rm(folder, { recursive: true, force: true })
  })
  const shell = startShell(folder)
  t.after(() => shell.process.kill())
  const stint = `STINT_DATA_DIR=data ${process.execPath} ${join(repository, 'cli/stint.js')} "$@"`
  await shell.run(`npx() { shift; ${stint}; }`)

  let receiver: ReturnType<typeof startReceiver> | undefined
  for (const [place, { kind, text }] of blocks.entries()) {
    if (kind === 'sh receiver') {
      receiver = startReceiver(blocks, folder, here)
      t.after(() => receiver?.process.kill())
      await receiver.prints(/receiver listens/)
    }
    if (kind !== 'sh') continue
    const printed = await shell.run(here(text))
    const next = blocks[place + 1]
    if (next?.kind !== 'text' || next.text.includes('…')) continue
    // The month is that of the year after the one in which the guide is followed; it was written in 2026.
    const shown = next.text.replaceAll('2027', String(new Date().getFullYear() + 1))
    assert.deepEqual(linesOf(printed), linesOf(shown), text)
  }
  return { folder, receiver }
}

test('the guide to a month of payroll prints what it shows', { skip }, async (t) => {
  const { folder, receiver } = await follow(t, 'docs/guides/a-month-of-payroll.md')
  for (const name of ['PAY-\\d{4}-000001', 'PAY-\\d{4}-000002']) {
    await receiver?.prints(
      new RegExp(`^payment\\.completed .*"${name}", "status": "completed".*"total": "4888.58"`, 'm'),
    )
  }
  assert.match(await readFile(join(folder, 'data/invoice.pdf'), 'latin1'), /^%PDF-1[\s\S]*%%EOF\s*$/)
})

test('the guide to provisioning prints what it shows', { skip }, async (t) => {
  await follow(t, 'docs/guides/provisioning.md')
})

test('the guide to personal data prints what it shows', { skip }, async (t) => {
  await follow(t, 'docs/guides/personal-data.md')
})

/** The lines of an output but those of the shell that ran it. */
function linesOf(output: string): string[] {
  return output.split(/\r?\n/).filter((line) => line !== '' && !line.startsWith('-- end '))
}

/** A demo of its own, with a shell in the folder of its data; the guides' files are there as in the checkout. */
async function startDemo(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'stint-guide-'))
  const port = await freePort()
  await symlink(join(repository, 'docs'), join(folder, 'docs'))
  const service = await startServiceProcess({ data_dir: join(folder, 'data'), port, demo: true })
  t.after(async () => {
    await service.kill('SIGTERM')
    await rm(folder, { recursive: true, force: true })
  })
  const shell = startShell(folder)
  t.after(() => shell.process.kill())
  return { folder, port, service, shell }
}

test('the commands of the guide to safe changes do what it says', { skip }, async (t) => {
  const { port, service, shell } = await startDemo(t)
  const printed: string[] = []
  for (const { text } of await snippetsOf('docs/guides/changing-things-safely.md')) {
    printed.push(
      await shell.run(text.replaceAll('8443', String(port)).replace(/stint_test_org_…/, service.token ?? '')),
    )
  }
  const [, keyed, matched, rehearsed, confirmed] = printed
  assert.match(keyed ?? '', /^idempotent-replayed: true/im)
  assert.match(matched ?? '', /^Research and tools\nprecondition_failed$/m)
  assert.match(rehearsed ?? '', /"type": "team.deleted"/)
  assert.match(confirmed ?? '', /^Renamed meanwhile\nconfirmation_outdated$/m)
})

test('the commands of the guide to the command line do what it says', { skip }, async (t) => {
  const { folder, port, shell } = await startDemo(t)
  const receiver_port = await freePort()
  const program = `"${process.execPath}" "${join(repository, 'cli/stint.js')}"`
  const here = (text: string) =>
    text.replaceAll('8443', String(port)).replaceAll('9444', String(receiver_port)).replaceAll('npx stint', program)
  await shell.run(`export XDG_CONFIG_HOME="${folder}"`)
  const snippets = await snippetsOf('docs/guides/command-line.md')
  const [login, create, ...others] = snippets.filter(({ kind }) => kind === 'sh').map(({ text }) => here(text))
  assert.match(await shell.run(login ?? ''), /^signed in at \S+: Harbour Pine$[\s\S]*^ID .*\n.*Harbour Pine/m)

  const command = (kind: string) => here(snippets.find((snippet) => snippet.kind === kind)?.text ?? '').trim()
  const environment = { ...process.env, XDG_CONFIG_HOME: folder }
  const listening = spawn('bash', ['-c', `exec ${command('sh listen')}`], { cwd: folder, env: environment })
  t.after(() => listening.kill())
  const listens = outputOf(listening)
  await listens.prints(/signing key of your receiver: whsec_\S+\n/)
  const key = /receiver: (\S+)/.exec(listens.printed())?.[1] ?? ''
  const line = command('sh receiver').replace('whsec_…', `'${key}'`)
  const receiver = spawn('bash', ['-c', `exec ${line} --port ${receiver_port}`], { cwd: folder })
  t.after(() => receiver.kill())
  const receives = outputOf(receiver)
  await receives.prints(/receiver listens/)
  assert.match(await shell.run(create ?? ''), /^pending$/m)
  await receives.prints(/^contract\.created [0-9a-f-]{36} \[\{.*"worker_email": "mira@example.org"/m)
  await listens.prints(/contract\.created {2}[0-9a-f-]{36} {2}200 in \d+ ms/)
  assert.equal(receives.printed().includes('refused'), false)

  const [simulations, operations, changes, completion] = others
  assert.match(await shell.run(simulations ?? ''), /payment\.completed \S+ is on its way[\s\S]*EVENT_TYPE[\s\S]*NAME/)
  assert.match(await shell.run(operations ?? ''), /^16$[\s\S]*^ada@example\.org$/m)
  assert.match(await shell.run(changes ?? ''), /^Research and tools$[\s\S]*^done: /m)
  assert.equal((await shell.run(`${completion} cat data/stint-completion.bash`)).includes('complete -o default'), true)
})

test('the commands of the guide to running do what it says, beside a running service', { skip }, async (t) => {
  const data_dir = await usedDataFolder(t)
  const [port, management_port] = [await freePort(), await freePort()]
  const environment = { STINT_MANAGEMENT_PORT: String(management_port) }
  const service = await startServiceProcess({ data_dir, port, environment })
  t.after(() => service.kill('SIGTERM'))
  const shell = startShell(data_dir)
  t.after(() => shell.process.kill())
  const stint = `${process.execPath} ${join(repository, 'cli/stint.js')} "$@"`
  const ports = `STINT_PORT=${port} STINT_MANAGEMENT_PORT=${management_port}`
  await shell.run(`npx() { shift; STINT_DATA_DIR=. ${ports} ${stint}; }`)
  const [commands] = (await snippetsOf('docs/guides/running.md')).filter(({ kind }) => kind === 'sh')
  const printed = await shell.run(commands?.text ?? '')
  for (const told of [
    /^ok +process +the service at \S+ is ready$/m,
    /^warning +accounts +nobody has one yet/m,
    /^you@example\.org is owner of My company \(\S+, new\)$/m,
    /^https:\/\/localhost:\d+\/console\/set-up#\S+$/m,
    /^stint_org_\w+$/m,
    /^sealing key \w+: \d+ values$/m,
    /^everything in it is as the migrations make it$/m,
  ])
    assert.match(printed, told)
})

test('the commands of the guide to the audit log show what is whole, and name what was bent', { skip }, async (t) => {
  const { port, shell } = await startDemo(t)
  await shell.run(`npx() { shift; STINT_DATA_DIR=data ${process.execPath} ${join(repository, 'cli/stint.js')} "$@"; }`)
  const printed: string[] = []
  for (const { text } of await snippetsOf('docs/guides/audit-log.md')) {
    printed.push(await shell.run(text.replaceAll('8443', String(port))))
  }
  const [, kept, checked, exported, bent, independent] = printed
  assert.match(kept ?? '', /^\[\d+,\d+,"2\S+Z"\]$/m)
  assert.match(
    checked ?? '',
    /^whole {3}Harbour Pine: (\d+) entries in batches 1 to \d+\n.*\n {8}kept seals compared: 1$/m,
  )
  assert.match(
    exported ?? '',
    /^whole {3}\S+, \S+: (\d+) entries in batches 1 to \d+\n.*\n {8}kept seals compared: 1$/m,
  )
  const [changed, removed, moved] = (bent ?? '').split(/^BROKEN.*$/m).slice(1)
  assert.match(changed ?? '', /^ {8}entry \S+ \(batch 1, position 3\) was changed\n {8}seal/m)
  assert.match(removed ?? '', /^ {8}entry \S+ \(batch 1, position 3\) is gone\n {8}seal/m)
  assert.match(
    moved ?? '',
    /moved from batch 1, position 3 to batch 1, position 4\n.*moved from batch 1, position 4 to/,
  )
  assert.match(independent ?? '', /^whole: \d+ entries in \d+ batches, 1 seals agree$/m)
  assert.match(independent ?? '', /^entry \S+ \(batch 1, position 3\) was removed, changed or moved$/m)
})

test('the README starts and tests with the scripts that exist', async () => {
  const { scripts } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8'))
  const commands = (await snippetsOf('README.md')).flatMap(({ text }) => text.trim().split('\n'))
  assert.deepEqual(commands, ['npm ci', 'npm start -- --demo', 'npm ci', 'npm test'])
  assert.equal(scripts.start, 'exec node cli/stint.js serve')
  assert.match(scripts.test, /^node scripts\/check-node\.js && exec node scripts\/test\.ts$/)
})

/** Runs the guide's `npm start` line as what npm would run, with data and port of this test. */
function startService(snippets: Snippet[], data_dir: string, port: number) {
  const line = snippets.find(({ kind }) => kind === 'sh service')?.text.trim() ?? ''
  const match = /^((?:[A-Z_]+=\S+ )*)npm start( -- --demo)?$/.exec(line)
  assert.ok(match, `the guide starts the service with "${line}"`)
  const settings = (match[1] ?? '')
    .trim()
    .split(' ')
    .filter(Boolean)
    .map((word) => word.split('=') as [string, string])
  const environment = Object.fromEntries(
    settings.map(([name, value]) => [name, value.replace(/^data\//, `${data_dir}/`)]),
  )
  return startServiceProcess({ data_dir, port, demo: match[2] !== undefined, environment })
}

function startReceiver(snippets: Snippet[], folder: string, here: (text: string) => string) {
  const line = snippets.find(({ kind }) => kind === 'sh receiver')?.text ?? ''
  const child = spawn('bash', ['-c', `exec ${here(line).trim()} --port ${here('9444')}`], { cwd: folder })
  return { process: child, ...outputOf(child) }
}

/** One bash for all snippets, since later ones use what earlier ones defined. */
function startShell(folder: string) {
  const child = spawn('bash', ['-eu'], { cwd: folder })
  const { prints, printed } = outputOf(child)
  let turn = 0
  return {
    process: child,
    async run(text: string): Promise<string> {
      turn += 1
      const before = printed().length
      child.stdin.write(`${text}\necho; echo "-- end ${turn}"\n`)
      await prints(new RegExp(`^-- end ${turn}$`, 'm'))
      return printed().slice(before)
    },
  }
}

const print_limit_ms = 90_000

function outputOf(child: ChildProcess) {
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk
      child.emit('printed')
    })
  }
  return {
    printed: () => output,
    async prints(pattern: RegExp) {
      const signal = AbortSignal.timeout(print_limit_ms)
      while (!pattern.test(output)) {
        await once(child, 'printed', { signal }).catch(() => assert.fail(`${pattern} was not printed:\n${output}`))
      }
    },
  }
}
