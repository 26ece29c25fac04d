import { test } from 'node:test'
import { sql } from '#db/database.ts'
import type { Body } from '#test/factories.ts'
import { connect } from './support/client.ts'
import { signIn } from './support/console.ts'
import { broken, button, type Developer, email, heading, useDeveloper } from './support/developer.ts'
import { listed, look } from './support/look.ts'

const developer = useDeveloper()

async function addGrant(console: Developer): Promise<void> {
  const { authorize } = await connect(console, 'https://app.example/callback', { scope: 'contracts:read' })
  const client_id = new URL(authorize, console.origin).searchParams.get('client_id')
  const grant_id = crypto.randomUUID()
  await console.database.database.transaction({ role: 'owner' }, (tx) =>
    tx.run(sql`
      insert into oauth_grants (organization_id, id, root_id, user_id, client_id, client_name, redirect_host, resource, scopes,
        sensitive_data, created_at, updated_at)
      select ${console.organization.id}, ${grant_id}, ${grant_id}, id, ${client_id}, 'Desk Assistant', 'app.example', 'mcp',
        '{contracts:read,people:read}', '{}', app_now(), app_now() from users where email = ${`owner.${email}`}`),
  )
}

test('a new organization: every first page says what it is for and what to do', async (t) => {
  const console = await developer.start(t)
  const opened = await console.open(t)
  const { page } = opened
  await page.goto(`/console/set-up#${await console.makeLink()}`)
  await page.getByLabel('Your name').fill('Nora Pine')
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill('seven quiet herons')
  await page.getByLabel('Organization').fill('Harbour Pine')
  await button(page, 'Create organization and sign in').click()
  await page.getByText('Two ways to begin').waitFor()
  await look(opened, 'home-new')
  for (const [path, name] of [
    ['/tokens', 'tokens-empty'],
    ['/webhooks', 'webhooks-empty'],
    ['/events?start=latest', 'events-empty'],
    ['/apps', 'apps-empty'],
  ] as const) {
    await page.goto(`/console${path}`)
    await page.locator('.empty').waitFor()
    await look(opened, name)
  }
})

test('tokens: the pages, their dialogs and the value that is shown once', async (t) => {
  const console = await developer.start(t)
  const soon = new Date(console.clock.now() + 5 * 86_400_000).toISOString()
  const body = { name: 'Nightly HR sync with a rather long name', scopes: ['people:read', 'contracts:read'] }
  await console.call('POST', '/api-tokens', { body: { ...body, expires_at: soon, sensitive_data: ['compensation'] } })
  const gone = await console.cause('Old payroll export')
  await console.call('DELETE', `/api-tokens/${gone.id}`)
  const opened = await console.visit('/tokens')
  const { page } = opened
  await listed(page)
  await look(opened, 'tokens')
  await page.getByRole('button', { name: 'Revoke Nightly' }).click()
  await look(opened, 'tokens-revoke-dialog')
  await page.keyboard.press('Escape')
  await page.goto('/console/tokens/new')
  await page.getByLabel('Name').fill('Payroll export')
  await button(page, 'Create token').click()
  await page.getByText('Choose at least one').waitFor()
  await look(opened, 'token-new-fault')
  await page.getByRole('group', { name: 'Contracts' }).getByLabel('Write').check()
  await page.getByRole('group', { name: 'People' }).getByLabel('Read').check()
  await page.getByLabel('Bank accounts').check()
  await look(opened, 'token-new')
  await button(page, 'Create token').click()
  await heading(page, 'Your new token').waitFor()
  await look(opened, 'token-once-dialog')
})

async function play(console: Developer): Promise<{ failing: Body; disabled: Body; fine: Body }> {
  const fine = await console.subscribe({ name: 'Payroll', description: 'Books what was paid.' })
  await console.cause()
  await console.send()
  const disabled = await console.subscribe({ name: 'Data warehouse', events: ['team.created'] })
  const team = (name: string) => console.call('POST', '/teams', { body: { name } })
  console.receiver.script(...Array.from({ length: 17 }, broken))
  await team('Harbour')
  await console.send(10)
  for (const name of ['Night shift', 'Platform']) await team(name)
  const failing = await console.subscribe({ events: ['department.created'] })
  await console.call('POST', '/departments', { body: { name: 'Finance' } })
  await console.send(5)
  return { fine, failing, disabled }
}

test('webhooks: the list, a new one, and one that is fine, failing and disabled', async (t) => {
  const console = await developer.start(t)
  const { fine, failing, disabled } = await play(console)
  const opened = await console.visit('/')
  const { page } = opened
  await heading(page, 'Needs attention').waitFor()
  await look(opened, 'home-attention')
  await page.goto('/console/webhooks')
  await listed(page)
  await look(opened, 'webhooks')
  await page.goto(`/console/webhooks/${disabled.id}`)
  await page.getByText('Disabled because').waitFor()
  await listed(page)
  await look(opened, 'webhook-disabled')
  await button(page, 'Re-enable').click()
  await look(opened, 'webhook-enable-dialog')
  await page.keyboard.press('Escape')
  await page.goto(`/console/webhooks/${failing.id}`)
  await listed(page)
  await look(opened, 'webhook-failing')
  await page.locator('.table a').last().click()
  await page.locator('.timeline').waitFor()
  await look(opened, 'delivery-dialog')
  await page.goto(`/console/webhooks/${fine.id}?status=held`)
  await page.getByText('Nothing fits these filters.').waitFor()
  await look(opened, 'deliveries-none-fit')
})

test('webhooks: what can be chosen, simulated, replayed and rotated', async (t) => {
  const console = await developer.start(t)
  const { id } = await console.subscribe({ name: 'Payroll', description: 'Books what was paid.' })
  await console.cause()
  await console.send()
  const opened = await console.visit(`/webhooks/${id}?tab=events`)
  const { page } = opened
  await page.getByText('api-token.created').first().click()
  await button(page, 'Simulate').click()
  await page.getByText('On its way').waitFor()
  await console.send()
  await page.getByText('The receiver answered 200').waitFor()
  await look(opened, 'webhook-simulate')
  await page.goto(`/console/webhooks/${id}`)
  await button(page, 'Replay…').click()
  await page.getByLabel('Succeeded').check()
  await page.getByText('2 deliveries will be sent').waitFor()
  await look(opened, 'replay-dialog')
  await button(page, 'Start replay').click()
  await page.getByText('queued').waitFor()
  await look(opened, 'webhook-replays')
  await page.goto(`/console/webhooks/${id}?tab=keys`)
  await listed(page)
  await look(opened, 'webhook-keys')
  await button(page, 'Rotate key').click()
  await look(opened, 'rotate-key-dialog')
  await page.goto(`/console/webhooks/${id}?tab=settings`)
  await page.locator('.module').first().waitFor()
  await look(opened, 'webhook-settings')
  await page.goto('/console/webhooks/new')
  await page.getByLabel('URL of the receiver').fill('http://10.0.0.1/')
  await page.getByLabel('Search event types').fill('contract.cre')
  await page.getByLabel('contract.created').check()
  await button(page, 'Create webhook').click()
  await page.locator('.fault').waitFor()
  await look(opened, 'webhook-new-fault')
  await page.getByLabel('URL of the receiver').fill(console.receiver.url)
  await button(page, 'Create webhook').click()
  await heading(page, 'The signing key').waitFor()
  await look(opened, 'webhook-once-dialog')
})

test('events, their types, connected apps, and pages that cannot be shown', async (t) => {
  const console = await developer.start(t)
  await console.subscribe()
  await console.cause()
  await console.send()
  const opened = await console.visit('/events')
  const { page } = opened
  await page.locator('.table a').first().waitFor()
  await look(opened, 'events')
  await page.locator('.table a').first().click()
  await heading(page, 'Payload').waitFor()
  await look(opened, 'event')
  await page.goto('/console/event-types?q=contract.created')
  await page.getByText('contract.created').first().click()
  await look(opened, 'event-types')
  await addGrant(console)
  await page.goto('/console/apps')
  await listed(page)
  await look(opened, 'apps')
  await page.route('**/rest/v2/webhooks?*', (route) =>
    route.fulfill({
      status: 500,
      contentType: 'application/problem+json',
      json: { code: 'internal', detail: 'Something went wrong on our side.', request_id: 'req-1' },
    }),
  )
  await page.goto('/console/webhooks')
  await page.getByText('req-1').waitFor()
  await look(opened, 'list-failed')
  const finance = await console.visit('/webhooks', 'finance')
  await heading(finance.page, 'Not with your role').waitFor()
  await look(finance, 'not-with-your-role')
})

test('in two organizations, with the menu of a narrow window open', async (t) => {
  const console = await developer.start(t)
  await console.addMember({ email })
  const sandbox = await console.createOrganization({ name: 'Sandbox of Harbour Pine', is_sandbox: true })
  await console.addMember({ email, role: 'developer', organization_id: sandbox.id })
  const opened = await console.open(t)
  const { page } = opened
  await page.goto('/console')
  await signIn(page, email)
  await page.getByLabel('Organization').selectOption({ label: 'Sandbox of Harbour Pine (sandbox)' })
  await page.getByText('developer', { exact: true }).waitFor()
  await page.getByText('Four steps').waitFor()
  await page.setViewportSize({ width: 390, height: 844 })
  await button(page, 'Menu').click()
  await look(opened, 'menu')
})
