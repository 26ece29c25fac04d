import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freePort } from '#test/process.ts'
import { startFixture } from './fixture-service.ts'
import { runSuite, withExpectedFailures } from './run-suite.ts'

for (const revision of ['2026-07-28', '2025-11-25']) {
  test(`the official suite finds what ${revision} requires of a server, behind our checks`, async (t) => {
    const fixture = await startFixture(await freePort())
    t.after(() => fixture.close())
    const words = ['server', '--url', fixture.url, '--requirements', revision, ...withExpectedFailures]
    const { status, output } = await runSuite(words)
    const summary = output.slice(output.indexOf('=== SUMMARY ==='))
    t.diagnostic(/^Total: .*/m.exec(summary)?.[0] ?? 'no total')
    assert.equal(status, 0, summary)
  })
}
