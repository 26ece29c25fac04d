import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { sql } from '#db/database.ts'
import { noteSecret } from '#test/secrets.ts'
import { base, providers } from '../../console/src/app/provisioning/steps.ts'
import { button, type Developer, heading, useDeveloper } from './support/developer.ts'
import { look } from './support/look.ts'

const developer = useDeveloper()

test('10.3 the guide and the page tell the same steps', () => {
  const guide = readFileSync('docs/guides/provisioning.md', 'utf8')
  const plain = (text: string) => text.replaceAll(/[`*]/g, '').replaceAll('https://<your host>/scim/v2', base)
  for (const { name, steps, end } of providers) {
    const rows = plain(guide.slice(guide.indexOf(`\n## ${name}\n`)).split('\n## ')[1] ?? '')
    for (const [place, value] of steps) {
      assert.ok(rows.includes(`| ${place} | ${value}`), `${name}: ${place} | ${value}\n${rows}`)
    }
    assert.ok(rows.includes(end), `${name}: ${end}`)
  }
})

/** A request as an identity provider makes it. */
async function ask(console: Developer, token: string, path: string, body?: object) {
  const answer = await console.app.inject({
    ...{ method: body ? 'POST' : 'GET', url: `/scim/v2${path}` },
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
    ...(body && { payload: JSON.stringify(body) }),
  })
  return answer
}

const tab = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Views of provisioning' }).getByRole('link', { name }).click()
const rows = (page: Page, name: string) => page.getByRole('table', { name }).locator('tbody tr')

test('10.3 provisioning: a SCIM call with a malformed filter shows within 2 s with invalidFilter and its hint', async (t) => {
  const console = await developer.start(t)
  const opened = await console.visit('/provisioning')
  const { page } = opened
  await page.getByText('Never called').waitFor()
  await button(page, 'Copy base address').click()
  assert.match(await page.evaluate<string>('navigator.clipboard.readText()'), /^https:.*\/scim\/v2$/)
  await page.getByText('Sync only assigned users and groups').waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Microsoft Entra ID' }).click()
  await page.getByText('Sync only assigned users and groups').waitFor()
  await look(opened, 'provisioning-never')

  // The token is preset with the right to provision and nothing else.
  await page.getByRole('link', { name: 'Make token' }).click()
  await heading(page, 'New API token').waitFor()
  await button(page, 'Create token').click()
  const token = noteSecret((await page.getByRole('dialog').locator('pre').first().textContent()) ?? '')
  await button(page, 'I have saved it').click()
  await heading(page, 'Provisioning').waitFor()
  await rows(page, 'Credentials').getByText('scim:write').waitFor()

  await tab(page, 'Requests')
  await heading(page, 'No request yet').waitFor()
  await page.getByText('Live', { exact: true }).waitFor()
  const filter = encodeURIComponent('userName eq "ana@harbour.example" or')
  assert.equal((await ask(console, token, `/Users?filter=${filter}`)).statusCode, 400)
  await rows(page, 'Requests').first().waitFor()
  assert.match(
    (await rows(page, 'Requests').first().textContent()) ?? '',
    /scim\.users\.list.*400 invalidFilter.*GET \/Schemas/,
  )
  await page.reload()
  await page.getByText('The last request was refused').waitFor()
  await look(opened, 'provisioning-failing')
  await rows(page, 'Requests').first().getByRole('link').click()
  await page.getByText('userName eq "[redacted]" or').waitFor()
  assert.equal((await page.content()).includes('ana@harbour'), false)
  await look(opened, 'provisioning-request-dialog')
  await page.keyboard.press('Escape')

  await ask(console, token, '/Users', {
    userName: 'ana@harbour.example',
    name: { givenName: 'Ana', familyName: 'Alder' },
  })
  await console.requests.flush()
  await tab(page, 'People')
  await rows(page, 'People kept by the identity provider').getByText('SCIM').waitFor()
  await look(opened, 'provisioning-people')
  await page.getByRole('link', { name: 'Ana Alder' }).click()
  await page.getByText('Kept by the identity provider, last sync').waitFor()
})

test('10.3 provisioning: teams give roles, as far as the own role may; a credential that ends or hangs on nobody is told', async (t) => {
  const console = await developer.start(t)
  const made = await Promise.all(
    ['Payroll', 'Support'].map((name) => console.call('POST', '/teams', { body: { name } })),
  )
  assert.deepEqual(
    made.map(({ status }) => status),
    [201, 201],
  )
  const opened = await console.visit('/provisioning?tab=teams')
  const { page } = opened
  await heading(page, 'No team gives a role').waitFor()
  await button(page, 'Map a team').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox', { name: 'Team' }).fill('Pay')
  await page.getByRole('option', { name: 'Payroll' }).click()
  await dialog.getByRole('radio', { name: /^Finance/ }).check()
  await look(opened, 'provisioning-map-dialog')
  await button(page, 'Give the role finance').click()
  await rows(page, 'Roles by team').getByText('Finance').waitFor()

  const admin = await console.visit('/provisioning?tab=teams', 'admin')
  await admin.page.getByText('Only an owner maps a team to finance.').waitFor()
  await button(admin.page, 'Map a team').click()
  await admin.page
    .getByRole('dialog')
    .getByRole('radio', { name: /^Viewer/ })
    .waitFor()
  assert.equal(
    await admin.page
      .getByRole('dialog')
      .getByRole('radio', { name: /^Finance/ })
      .count(),
    0,
  )
  await admin.page.getByRole('dialog').getByRole('combobox', { name: 'Team' }).fill('Supp')
  await admin.page.getByRole('option', { name: 'Support' }).click()
  await button(admin.page, 'Give the role viewer').click()
  await rows(admin.page, 'Roles by team').getByText('Viewer').waitFor()
  await look(admin, 'provisioning-teams')
  await button(admin.page, 'Remove Support').click()
  await button(admin.page, 'Remove the role').click()
  await rows(admin.page, 'Roles by team').getByText('Viewer').waitFor({ state: 'detached' })

  const { id: organization_id } = console.organization
  const ends = new Date(console.clock.now() + 5 * 86_400_000).toISOString()
  await console.createToken(organization_id, { scopes: ['scim:write'], expires_at: ends })
  const gone = JSON.stringify({ kind: 'user', id: crypto.randomUUID(), name: 'Ida Berg' })
  await console.createToken(organization_id, { scopes: ['scim:read'] })
  await console.database.database.transaction({ role: 'owner', organization_id }, (tx) =>
    tx.run(sql`
      update access_tokens set name = 'Okta', created_by = ${gone}
      where organization_id = ${organization_id} and scopes = '{scim:read}'`),
  )
  await page.goto('/console/provisioning')
  await page.getByText('is about to end').waitFor()
  await page.getByText('Okta was made by somebody who is no member any more').waitFor()
  await look(opened, 'provisioning-warnings')
  await page.goto('/console/tokens')
  await page.getByText('maker left').waitFor()
})
