import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { bundleSdk } from '#test/sdk-bundle.ts'
import { root } from '#test/sdk-project.ts'
import { createSequencer } from '#webhooks/feed/sequencer.ts'
import { sign } from '#webhooks/signature.ts'
import { assertNoFaults, useBrowser } from './support/console.ts'

const browser = useBrowser()

/** Both run in the page, where the client is `sdk`. */
const calling = `async ({ base_url, token }) => {
  stint = sdk.createStint({ base_url, token })
  const team = await stint.teams.create({ name: 'Made in a browser' })
  const renamed = await stint.teams.update({ team_id: team.id, name: 'Renamed' }, { if_match: team })
  const names = []
  for await (const { name } of stint.teams.list()) names.push(name)
  const { code } = await stint.teams.get({ team_id: 'none' }).catch((error) => error)
  return [renamed.name, names.join(), code]
}`
const hearing = `async ({ delivery, key }) => {
  const following = stint.events.list({ start: 'oldest', event_types: ['team.created'] }).follow()
  const { value } = await following.next()
  await following.return()
  const event = await sdk.verifyWebhook(delivery.body, delivery.headers, key)
  const refused = await sdk.verifyWebhook(delivery.body + ' ', delivery.headers, key).catch((error) => error)
  return [sdk.eventOf(value.data).resource[0].name, event.event_type, refused.code]
}`

test('the client works in a browser: calls, lists, refusals, a list that is followed, signatures', async (t) => {
  const service = await browser.start(t)
  const opened = await service.open(t)
  const { page, faults } = opened
  await page.goto('/console/sign-in')
  await page.evaluate(await bundleSdk(join(root, 'sdk/src/index.ts'), 'iife'))
  const run = (program: string, given: object) => page.evaluate(`(${program})(${JSON.stringify(given)})`)
  const called = await run(calling, { base_url: service.origin, token: service.organization.token })
  assert.deepEqual(called, ['Renamed', 'Renamed', 'not_found'])

  await createSequencer(service.database.database, service.runtime.log).runDue()
  const key = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const body = JSON.stringify({ data: { meta: { event_type: 'team.created' }, resource: [] }, timestamp: '' })
  const meta = { event_id: 'e', timestamp_s: Math.floor(Date.now() / 1_000) }
  const delivery = { body, headers: sign(Buffer.from(body), [{ label: '1', key }], meta) }
  assert.deepEqual(await run(hearing, { delivery, key }), ['Made in a browser', 'team.created', 'wrong_signature'])
  assertNoFaults({ ...opened, faults: faults.filter((fault) => !/status of 404/.test(fault)) })
})
