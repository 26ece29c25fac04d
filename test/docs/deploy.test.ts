import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { validate } from 'dockerfile-utils'
import { parse, parseAllDocuments } from 'yaml'
import { settingsTable } from '#boot/config.ts'

const fileOf = (path: string) => new URL(`../../deploy/${path}`, import.meta.url)
const read = (path: string) => readFile(fileOf(path), 'utf8')
const unit = fileOf('stint.service').pathname
const chart = fileOf('helm/stint').pathname

const isThere = (program: string, ...words: string[]) => spawnSync(program, words).status === 0
const shutdown_s = Number(settingsTable.STINT_SHUTDOWN_MS.default) / 1_000

/** Of 10.0, which is a service without any restriction. */
const exposure_max = 1.5

test('systemd finds the unit as closed as it says it is', {
  skip: !isThere('systemd-analyze', '--version') && 'systemd-analyze is not installed',
}, () => {
  const words = ['security', '--offline=true', `--threshold=${exposure_max * 10}`, unit]
  const { status, stdout, stderr } = spawnSync('systemd-analyze', words, { encoding: 'utf8' })
  assert.equal(status, 0, `${stdout.split('\n').at(-2)}\n${stderr}`)
})

test('the unit lets the service end in order, and does not start again what somebody has to put right first', async () => {
  const text = await read('stint.service')
  const setting = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(text)?.[1] ?? ''
  assert.ok(Number(setting('TimeoutStopSec')) > shutdown_s)
  assert.deepEqual([setting('KillMode'), setting('RestartPreventExitStatus')], ['mixed', '78 2'])
})

test('the Dockerfile has no fault that a linter knows, and its image does not run as root', async () => {
  const text = await read('Dockerfile')
  assert.deepEqual(validate(text), [])
  assert.match(text.split(/^FROM /m).at(-1) ?? '', /^USER [1-9]\d*:[1-9]\d*$/m)
})

test('the chart gives a pod the time that the service takes to end', async () => {
  const { terminationGracePeriodSeconds, drainSeconds } = parse(await read('helm/stint/values.yaml'))
  assert.ok(terminationGracePeriodSeconds > drainSeconds + shutdown_s)
})

test('Helm lints the chart and renders it with only settings that exist', {
  skip: !isThere('helm', 'version') && 'helm is not installed',
}, () => {
  const helm = (...words: string[]) => {
    const { status, stdout, stderr } = spawnSync('helm', words, { encoding: 'utf8' })
    assert.equal(status, 0, `${stdout}${stderr}`)
    return stdout
  }
  helm('lint', '--strict', chart)
  const objects = parseAllDocuments(helm('template', 'stint', chart)).map((document) => document.toJS())
  assert.deepEqual(objects.map(({ kind }) => kind).toSorted(), ['Deployment', 'Deployment', 'Job', 'Service'])
  const containers = objects.flatMap(({ spec }) => spec.template?.spec.containers ?? [])
  const names: string[] = containers.flatMap(({ env }) => env.map(({ name }: { name: string }) => name))
  const unknown = names.filter((name) => !(name in settingsTable) && !(name.replace(/_FILE$/, '') in settingsTable))
  assert.deepEqual(unknown, [])
})
