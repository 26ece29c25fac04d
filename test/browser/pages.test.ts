import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { sql } from '#db/database.ts'
import { scopes } from '#identity/scopes.ts'
import { themes, violations } from './support/accessibility.ts'
import { connect } from './support/client.ts'
import { assertNoFaults, type Console, signIn, takePicture, useBrowser } from './support/console.ts'

const email = 'nora@harbour.example'
const browser = useBrowser()

const sizes = [
  { width: 390, height: 844 },
  { width: 1280, height: 800 },
]

interface Scene {
  page: Page
  console: Console
}

const heading = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor()

async function signedIn({ page, console }: Scene): Promise<void> {
  await console.addMember({ email })
  const sandbox = await console.createOrganization({ name: 'Sandbox of Harbour Pine', is_sandbox: true })
  await console.addMember({ email, role: 'developer', organization_id: sandbox.id })
  await page.goto('/console/sign-in')
  await signIn(page, email)
  await heading(page, 'Home')
}

async function consent(
  scene: Scene,
  redirect_uri: string,
  client: { client_name?: string; client_description?: string; scope?: string } = {},
) {
  await signedIn(scene)
  const scope = 'contracts:read contracts:write people:read timesheets:write accounting:write tokens:write scim:read'
  const { authorize } = await connect(scene.console, redirect_uri, { scope, ...client })
  await scene.page.goto(authorize)
}

/** Every page in every state that looks different. */
const pages: Record<string, (scene: Scene) => Promise<void>> = {
  home: signedIn,
  async 'not-found'({ page }) {
    await page.goto('/console/nothing-here')
    await heading(page, 'There is nothing at this address')
  },
  async 'sign-in'({ page, console }) {
    await console.addMember({ email })
    await page.goto('/console/sign-in')
    await heading(page, 'Sign in')
  },
  async 'sign-in-nobody-yet'({ page }) {
    await page.goto('/console/sign-in')
    await page.getByText('Nobody has an account here yet.').waitFor()
  },
  async 'sign-in-refused'({ page, console }) {
    await console.addMember({ email })
    await page.goto('/console/sign-in')
    await signIn(page, email, 'not the password')
    await page.getByRole('alert').waitFor()
  },
  async 'set-up'({ page, console }) {
    await page.goto(`/console/set-up#${await console.makeLink()}`)
    await heading(page, 'Set up Stint')
  },
  async 'set-up-fault'({ page, console }) {
    await page.goto(`/console/set-up#${await console.makeLink()}`)
    for (const label of ['Your name', 'Organization']) await page.getByLabel(label).fill('Nora Pine')
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password', { exact: true }).fill('short')
    await page.keyboard.press('Enter')
    await page.getByText('It must have at least 12 characters.').waitFor()
  },
  async 'set-up-password'({ page, console }) {
    await page.goto(`/console/set-up#${await console.makeLink(await console.addMember({ email }))}`)
    await heading(page, 'Choose a password')
  },
  async 'set-up-link-over'({ page }) {
    await page.goto(`/console/set-up#${'x'.repeat(43)}`)
    await heading(page, 'This link cannot be used')
  },
  async consent(scene) {
    await consent(scene, 'http://127.0.0.1:33418/callback', {
      client_name: 'Desk Assistant',
      client_description: 'Reads your contracts and drafts new ones.',
    })
    await heading(scene.page, 'Allow access?')
    await scene.page.locator('button:disabled').waitFor({ state: 'detached' })
  },
  async 'consent-web'(scene) {
    await consent(scene, 'https://xn--pple-43d.example/very/long/path', {
      client_name: `${'Wonderful'.repeat(12)} Assistant`,
      client_description: 'A description that goes on. '.repeat(30),
    })
    await heading(scene.page, 'Allow access?')
    await scene.page.locator('button:disabled').waitFor({ state: 'detached' })
  },
  async 'consent-long'(scene) {
    await consent(scene, 'https://app.example/callback', {
      client_name: 'Desk \u0410ssistant',
      scope: scopes.join(' '),
    })
    await scene.page.getByText('It also asks for what cannot be granted here').click()
    await scene.page.evaluate('scrollTo(0, 0)')
  },
  async 'consent-again'(scene) {
    await signedIn(scene)
    const asked = 'contracts:read contracts:write people:read timesheets:write accounting:write'
    const { authorize } = await connect(scene.console, 'https://app.example/callback', { scope: asked })
    const client_id = new URL(authorize, scene.console.origin).searchParams.get('client_id')
    const { id: organization_id } = scene.console.organization
    const grant_id = crypto.randomUUID()
    await scene.console.database.database.transaction({ role: 'owner' }, (tx) =>
      tx.run(sql`
        insert into oauth_grants (organization_id, id, root_id, user_id, client_id, client_name, resource, scopes, sensitive_data,
          needed_scopes, needed_at, created_at, updated_at)
        select ${organization_id}, ${grant_id}, ${grant_id}, id, ${client_id}, 'Desk Assistant', 'mcp', '{contracts:read}', '{}',
          '{contracts:write}', app_now(), app_now(), app_now() from users where email = ${email}`),
    )
    await scene.page.goto(authorize)
    await scene.page.getByText('needed now').waitFor()
    await scene.page.locator('button:disabled').waitFor({ state: 'detached' })
  },
  async 'consent-short'(scene) {
    await consent(scene, 'https://app.example/callback', { client_name: 'Desk Assistant', scope: 'people:read' })
    await heading(scene.page, 'Allow access?')
    await scene.page.locator('button:disabled').waitFor({ state: 'detached' })
  },
  async 'authorization-refused'({ page, console }) {
    const { authorize } = await connect(console, 'https://xn--pple-43d.example/cb', { scope: 'contracts:everything' })
    await page.goto(authorize)
    await heading(page, 'This request cannot be answered')
  },
  async 'consent-over'(scene) {
    await signedIn(scene)
    await scene.page.goto(`/console/authorize/${'x'.repeat(43)}`)
    await heading(scene.page, 'This request is over')
  },
}

for (const [name, open] of Object.entries(pages)) {
  test(`${name}: accessible, within its policy and without sideways scrolling, in both themes and widths`, async (t) => {
    await look(t, name, open)
  })
}

async function look(t: TestContext, name: string, open: (scene: Scene) => Promise<void>): Promise<void> {
  const console = await browser.start(t)
  const opened = await console.open(t)
  const { page } = opened
  await open({ page, console })
  // Refusals of 403 and 404 are what some of these pages are about; the browser reports them itself.
  opened.faults.splice(
    0,
    opened.faults.length,
    ...opened.faults.filter((fault) => !/status of (400|403|404)/.test(fault)),
  )
  for (const colorScheme of themes) {
    for (const { width, height } of sizes) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height })
      await takePicture(page, `${name}.${colorScheme}.${width}.window`)
      await takePicture(page, `${name}.${colorScheme}.${width}`, { fullPage: true })
      const scrolls = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
      assert.equal(scrolls, false, `${width} px scrolls sideways`)
      assert.deepEqual(await violations(page, colorScheme), [], `${colorScheme} ${width}`)
    }
  }
  assertNoFaults(opened)
}

test('the accessibility check finds what is wrong', async (t) => {
  const console = await browser.start(t)
  const { page } = await console.open(t)
  await page.goto('/console/nothing')
  await page.evaluate(`
    document.querySelector('main').insertAdjacentHTML('beforeend', '<img src="/x"><input><p>Hardly to be read</p>')
    Object.assign(document.querySelector('main p:last-child').style, { color: '#777', background: '#888' })`)
  const idsOf = async (theme: 'light' | 'dark') => (await violations(page, theme)).map(({ id }) => id).sort()
  assert.deepEqual(await idsOf('light'), ['color-contrast', 'image-alt', 'label'])
  assert.deepEqual(await idsOf('dark'), ['color-contrast'])
})
