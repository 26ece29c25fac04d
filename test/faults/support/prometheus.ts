import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { parse, stringify } from 'yaml'
import { freePort } from '#test/process.ts'

interface Rule {
  alert: string
  expr: string
  for?: string
}
interface Rules {
  groups: { name: string; rules: Rule[] }[]
}

/** The package of Debian; without it the test is skipped. */
export const has_prometheus = spawnSync('prometheus', ['--version']).status === 0

export async function shippedRules(): Promise<Rules> {
  return parse(await readFile(new URL('../../../docs/operations/alerts.yml', import.meta.url), 'utf8'))
}

const limit_ms = 240_000
const start_limit_ms = 30_000
/** In place of what a rule waits for by itself: its expression holds at three evaluations in a row. */
const shortened_for = '2s'

/** A Prometheus with the alert rules as they ship, but for their `for`, that looks at these management ports every second. */
export async function startPrometheus(t: TestContext, ports: readonly number[]) {
  const folder = await mkdtemp(join(tmpdir(), 'stint-prometheus-'))
  const { groups } = await shippedRules()
  const shortened = groups.map(({ name, rules }) => ({
    name,
    rules: rules.map((rule) => ({ ...rule, ...(rule.for && { for: shortened_for }) })),
  }))
  const config = {
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
    rule_files: ['alerts.yml'],
    scrape_configs: [{ job_name: 'stint', static_configs: [{ targets: ports.map((port) => `127.0.0.1:${port}`) }] }],
  }
  await writeFile(join(folder, 'alerts.yml'), stringify({ groups: shortened }))
  await writeFile(join(folder, 'prometheus.yml'), stringify(config))
  const port = await freePort()
  const child = spawn(
    'prometheus',
    [
      ...[`--config.file=${join(folder, 'prometheus.yml')}`, `--storage.tsdb.path=${join(folder, 'series')}`],
      ...[`--web.listen-address=127.0.0.1:${port}`, '--log.level=error'],
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  )
  const exited = new Promise((resolve) => child.once('exit', resolve))
  t.after(async () => {
    child.kill('SIGKILL')
    await exited
    await rm(folder, { recursive: true, force: true })
  })
  const ask = async <Data>(path: string): Promise<Data | null> => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`).catch(() => null)
    return answer?.ok ? ((await answer.json()) as { data: Data }).data : null
  }
  const firing = async () => {
    const told = await ask<{ alerts: { state: string; labels: { alertname: string } }[] }>('alerts')
    const names = told?.alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname)
    return new Set(names)
  }
  const until = async (isTrue: () => Promise<boolean>, within_ms: number, missing: () => Promise<string>) => {
    const until_ms = performance.now() + within_ms
    while (!(await isTrue())) {
      assert.ok(performance.now() < until_ms, await missing())
      await delay(250)
    }
  }
  return {
    firing,
    /** Every rule was looked at several times, and none could not be. */
    async untilEvaluated() {
      const rules = async () => {
        const told = await ask<{ groups: { rules: { health: string; lastError?: string }[] }[] }>('rules')
        return told?.groups.flatMap((group) => group.rules) ?? []
      }
      const isGood = async () => {
        const looked = await rules()
        return looked.length > 0 && looked.every(({ health }) => health === 'ok')
      }
      await until(isGood, start_limit_ms, async () => JSON.stringify(await rules()))
      // Two samples for each rate, and what a rule waits for.
      await delay(6_000)
    },
    /** Each of these alerts was firing, at once or one after the other. */
    async untilFired(...names: string[]) {
      const left = new Set(names)
      const look = async () => {
        for (const name of await firing()) left.delete(name)
        return left.size === 0
      }
      await until(look, limit_ms, async () => `${[...left]} did not fire; firing: ${[...(await firing())]}`)
    },
    async untilEnded(...names: string[]) {
      const areOver = async () => (await firing()).isDisjointFrom(new Set(names))
      await until(areOver, limit_ms, async () => `still firing: ${[...(await firing())]}`)
    },
  }
}
