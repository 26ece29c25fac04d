import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { sql } from '#db/database.ts'
import { createContract } from '#test/factories.ts'
import { verifies } from '#test/verifies.ts'
import { type Connection, connect, type Program, startProgram } from './support/client.ts'
import {
  assertNoFaults,
  beginSession,
  type Console,
  type OpenedBrowser,
  password,
  signIn,
  useBrowser,
} from './support/console.ts'

const email = 'nora@harbour.example'
const scope = 'contracts:read contracts:write accounting:write tokens:read'
const long_scope = [
  ...[
    'contracts',
    'people',
    'timesheets',
    'invoice-adjustments',
    'accounting',
    'organizations',
    'time-off',
    'webhooks',
  ],
  ...['tokens', 'scim', 'worker'],
]
  .map((area) => `${area}:read ${area}:write`)
  .join(' ')
const browser = useBrowser()

interface Scene extends OpenedBrowser {
  console: Console
  program: Program
  connection: Connection
}

/** Nora, signed in, and a program that wants to connect. */
async function setScene(
  t: TestContext,
  client: { scope?: string; client_name?: string; client_description?: string } = {},
): Promise<Scene> {
  const console = await browser.start(t)
  await console.addMember({ email })
  const program = await startProgram(t)
  const connection = await connect(console, program.redirect_uri, { scope, ...client })
  const opened = await console.open(t)
  await beginSession(opened.context, console.origin, email)
  return { ...opened, console, program, connection }
}

const openConsent = async ({ page, connection }: Pick<Scene, 'page' | 'connection'>) => {
  await page.goto(connection.authorize)
  await page.getByRole('heading', { name: 'Allow access?' }).waitFor()
}
const allow = (page: Page) => page.getByRole('button', { name: 'Allow' })
const deny = (page: Page) => page.getByRole('button', { name: 'Deny' })
const withoutCallback = ({ faults, program }: Scene) =>
  faults.filter((fault) => !fault.startsWith(`request: ${program.origin}`))

test('7.3 consent: by mouse, from signed out to a token with what was left ticked', async (t) => {
  const console = await browser.start(t)
  await console.addMember({ email })
  const program = await startProgram(t)
  const connection = await connect(console, program.redirect_uri, { scope })
  const { page } = await console.open(t)
  await page.goto(connection.authorize)
  await page.getByText('An application asks for access. Sign in to decide.').waitFor()
  await signIn(page, email)
  await page.getByRole('heading', { name: 'Allow access?' }).waitFor()

  await page.getByText('Desk Assistant').waitFor()
  await page.getByText('Unverified').waitFor()
  await page.getByText('a program on this computer').waitFor()
  await page.getByText(new URL(program.origin).host).waitFor()
  await page.getByText('Draft, sign for the company, amend and end contracts').waitFor()
  assert.equal(await page.locator('strong', { hasText: 'start and settle payments' }).count(), 1)
  const ticked = (name: string) => page.getByRole('checkbox', { name }).isChecked()
  assert.deepEqual(
    [await ticked('contracts:read'), await ticked('contracts:write'), await ticked('accounting:read')],
    [true, false, true],
  )
  assert.deepEqual(
    [await ticked('accounting:write'), await ticked('tokens:read'), await ticked('Pay: salaries')],
    [false, false, false],
  )
  await page.getByRole('checkbox', { name: 'accounting:read' }).click()
  await page.getByRole('checkbox', { name: 'contracts:write' }).click()
  await allow(page).click()
  await page.getByText('You may close this window.').waitFor()

  const [query] = program.callbacks
  assert.deepEqual([query?.get('state'), query?.get('iss')], [connection.state, console.origin])
  const { status, body } = await connection.redeem(query?.get('code') ?? null)
  verifies('5.2.approve', '4.6.authorization').deepEqual([status, body.scope], [200, 'contracts:read contracts:write'])
})

test('7.3 consent: by keyboard, beginning at the heading, where no key decides', async (t) => {
  const scene = await setScene(t)
  const { page, program, connection } = scene
  await openConsent(scene)
  await page.locator('h1:focus').waitFor()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Space')
  for (const state of [true, false]) {
    await page.getByRole('checkbox', { name: 'contracts:read' }).focus()
    await page.keyboard.press('Space')
    assert.equal(await page.getByRole('checkbox', { name: 'contracts:read' }).isChecked(), !state)
  }
  await page.locator('button:disabled').waitFor({ state: 'detached' })
  const focused = () => page.evaluate('document.activeElement.textContent') as Promise<string>
  for (let presses = 0; presses < 20 && (await focused()) !== 'Allow'; presses += 1) await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByText('You may close this window.').waitFor()
  assert.equal((await connection.redeem(program.callbacks[0]?.get('code') ?? null)).status, 200)
  assert.deepEqual(withoutCallback(scene), [])
})

test('7.3 consent: Deny is as large as Allow and tells the client access_denied', async (t) => {
  const scene = await setScene(t)
  const { page, program, connection, console } = scene
  await openConsent(scene)
  const [left, right] = [await deny(page).boundingBox(), await allow(page).boundingBox()]
  assert.deepEqual([left?.width, left?.height, left?.y], [right?.width, right?.height, right?.y])
  const look = (name: string) =>
    page
      .getByRole('button', { name })
      .evaluate(
        '(one) => { const { color, backgroundColor, fontWeight } = getComputedStyle(one); return [color, backgroundColor, fontWeight] }',
      )
  await page.locator('button:disabled').waitFor({ state: 'detached' })
  assert.deepEqual(await look('Deny'), await look('Allow'))
  await deny(page).click()
  await page.getByText('You may close this window.').waitFor()
  const [query] = program.callbacks
  verifies('5.2.deny').deepEqual(
    [query?.get('error'), query?.get('state'), query?.get('iss'), query?.get('code')],
    ['access_denied', connection.state, console.origin, null],
  )
})

test('7.3 consent: Allow sleeps half a second after the page got the focus, and again when it lost it', async (t) => {
  const scene = await setScene(t)
  const { page } = scene
  const [asleep, awake] = [page.locator(':disabled'), page.locator(':enabled')].map((state) => allow(page).and(state))
  // The time of the page stands still but for what is let pass here.
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 60_000)
  await openConsent(scene)
  await page.clock.runFor(400)
  await asleep?.waitFor()
  await page.clock.runFor(200)
  await awake?.waitFor()
  await page.evaluate(`dispatchEvent(new Event('blur'))`)
  await asleep?.waitFor()
  assert.equal(await deny(page).isDisabled(), false)
  await page.evaluate(`dispatchEvent(new Event('focus'))`)
  await page.clock.runFor(600)
  await awake?.waitFor()
})

test('popup.opener: a client that opened a popup hears from it', async (t) => {
  const console = await browser.start(t)
  await console.addMember({ email })
  const opener = `<!doctype html><title>Client</title><button onclick="open(to, '', 'popup,width=500,height=800')">Connect</button>
<script>const to = new URLSearchParams(location.search).get('to'); onmessage = ({ data }) => { document.title = data }</script>`
  const program = await startProgram(t, { '/client': opener })
  const connection = await connect(console, program.redirect_uri, { scope })
  const { page } = await console.open(t)
  await page.goto(`${program.origin}/client?to=${encodeURIComponent(console.origin + connection.authorize)}`)
  const [popup] = await Promise.all([page.waitForEvent('popup'), page.getByRole('button').click()])
  await signIn(popup, email)
  await popup.getByRole('heading', { name: 'Allow access?' }).waitFor()
  await allow(popup).click()
  await page.waitForFunction(`document.title.includes('code=')`)
  assert.equal(new URLSearchParams(await page.title()).get('state'), connection.state)
})

test('consent.frame: no page of the console shows in a frame', async (t) => {
  const scene = await setScene(t)
  const { page, console, connection } = scene
  await openConsent(scene)
  const framed = ['/console', '/console/sign-in', '/console/set-up', new URL(page.url()).pathname, '/console/nothing']
  for (const path of [...framed, connection.authorize]) {
    const program = await startProgram(t, {
      '/trap': `<!doctype html><iframe src="${console.origin}${path}"></iframe>`,
    })
    await page.goto(`${program.origin}/trap`)
    await page.waitForFunction(`document.querySelector('iframe').contentDocument === null`)
    await page.frames()[1]?.waitForURL(/^chrome-error:/, { waitUntil: 'commit' })
  }
})

const markup = `<img src=x onerror="alert(1)"><b>Stint</b>`
test('consent.html: markup in name and description is shown as text', async (t) => {
  const scene = await setScene(t, { client_name: markup, client_description: `${markup}\n<script>alert(2)</script>` })
  const { page } = scene
  page.on('dialog', () => scene.faults.push('a dialog opened'))
  await openConsent(scene)
  assert.equal(await page.locator('.client-name bdi').textContent(), markup)
  assert.match((await page.locator('.client-words').textContent()) ?? '', /<script>alert\(2\)<\/script>/)
  assert.equal(await page.locator('.client img, .client b, .client script').count(), 0)
  assertNoFaults(scene)
})

test('consent.html: marks that turn the direction of writing are taken out of a name that was kept with them', async (t) => {
  const scene = await setScene(t)
  const name = 'Desk \u202etnatsissA\u202c\u2066 \u200fby Stint'
  await scene.console.database.database.transaction({ role: 'owner' }, (tx) =>
    tx.run(sql`update oauth_clients set name = ${name}`),
  )
  await openConsent(scene)
  assert.equal(await scene.page.locator('.client-name bdi').textContent(), 'Desk  tnatsissA   by Stint')
})

test('7.3 consent: a look-alike host stands in plain letters first, and what it mixes is called out', async (t) => {
  const console = await browser.start(t)
  await console.addMember({ email })
  const connection = await connect(console, 'https://xn--pple-43d.example/cb', { scope })
  const { page } = await console.open(t)
  await page.goto(connection.authorize)
  await signIn(page, email)
  await page.locator('.redirect-host', { hasText: /^xn--pple-43d\.example$/ }).waitFor()
  await page.getByText('reads as аpple.example').waitFor()
  await page.getByText('This address mixes letters that look alike (Cyrillic and Latin).').waitFor()
  const heightOf = async (selector: string) => (await page.locator(selector).boundingBox())?.height ?? 0
  assert.ok((await heightOf('.redirect-host bdi')) > (await heightOf('.reads-as bdi')))
})

test('7.3 consent: a program of an own scheme gets its address, and the page says what happened', async (t) => {
  const console = await browser.start(t)
  await console.addMember({ email })
  const connection = await connect(console, 'cursor://anysphere.cursor-mcp/oauth/callback', { scope })
  const { page } = await console.open(t)
  await page.goto(connection.authorize)
  await signIn(page, email)
  await page.getByText('a program on this computer').waitFor()
  await allow(page).click()
  await page.getByRole('heading', { name: 'Done' }).waitFor()
  const href = await page.getByRole('link', { name: 'continue here' }).getAttribute('href')
  assert.match(href ?? '', /^cursor:\/\/anysphere\.cursor-mcp\/oauth\/callback\?code=stint_oac_/)
})

test('7.3 consent: what the role lacks is struck out, and nothing but Deny is left when that is all', async (t) => {
  const console = await browser.start(t)
  await console.addMember({ email, role: 'viewer' })
  const connection = await connect(console, 'https://app.example/cb', { scope: 'contracts:write scim:read' })
  const { page } = await console.open(t)
  await page.goto(connection.authorize)
  await signIn(page, email)
  await page.getByText('None of what it asks for can be granted here.').waitFor()
  assert.deepEqual(await page.locator('s code').allTextContents(), ['contracts:write', 'scim:read'])
  assert.equal(await page.getByRole('checkbox').count(), 0)
  await page.getByText('Tick at least one right, or deny.').waitFor()
  assert.deepEqual([await allow(page).isDisabled(), await deny(page).isDisabled()], [true, false])
})

test('7.3 consent: the organization is chosen, and what was ticked for another one is not taken along', async (t) => {
  const console = await browser.start(t)
  await console.addMember({ email, role: 'owner' })
  const other = await console.createOrganization({ name: 'Second Harbour', is_sandbox: true })
  await console.addMember({ email, role: 'viewer', organization_id: other.id })
  const program = await startProgram(t)
  const connection = await connect(console, program.redirect_uri, { scope: 'contracts:read contracts:write' })
  const { page } = await console.open(t)
  await page.goto(connection.authorize)
  await signIn(page, email)
  await page.getByRole('checkbox', { name: 'Pay: salaries' }).click()
  await page.getByRole('radio', { name: 'Second Harbour' }).click()
  await page.getByText('It also asks for what cannot be granted here').waitFor()
  assert.deepEqual(await page.locator('s code').allTextContents(), ['contracts:write'])
  assert.equal(await page.getByRole('checkbox', { name: 'Pay: salaries' }).count(), 0)
  await allow(page).click()
  await page.getByText('You may close this window.').waitFor()
  const { body } = await connection.redeem(program.callbacks[0]?.get('code') ?? null)
  assert.equal(body.scope, 'contracts:read')
  assert.match(String(body.access_token), /^stint_test_oat_/)
})

test('7.3 consent: who is member and worker chooses as which, and as worker gives only what is the worker’s', async (t) => {
  const console = await browser.start(t)
  const user_id = await console.addMember({ email })
  const organization_id = console.organization.id
  const contract = await createContract(console)
  await console.database.database.transaction({ role: 'owner', organization_id }, (tx) =>
    tx.run(sql`update people set user_id = ${user_id}, access = 'enabled' where id = ${contract.worker_id}`),
  )
  const program = await startProgram(t)
  const connection = await connect(console, program.redirect_uri, { scope: 'contracts:read worker:read' })
  const { page } = await console.open(t)
  await page.goto(connection.authorize)
  await signIn(page, email)
  await page.getByText('as owner').waitFor()
  assert.deepEqual(await page.locator('s code').allTextContents(), ['worker:read'])
  await page.getByRole('radio', { name: 'as worker' }).click()
  await page.getByText('It also asks for what cannot be granted here (1)').click()
  await page.locator('s code', { hasText: 'contracts:read' }).waitFor()
  assert.equal(await page.getByRole('checkbox').count(), 1)
  await allow(page).click()
  await page.getByText('You may close this window.').waitFor()
  const { body } = await connection.redeem(program.callbacks[0]?.get('code') ?? null)
  assert.equal(body.scope, 'worker:read')
})

for (const viewport of [
  { width: 390, height: 844 },
  { width: 1280, height: 800 },
]) {
  test(`7.3 consent: Allow and Deny stay in view at ${viewport.width} × ${viewport.height} however long the list, and cover nothing that has the focus`, async (t) => {
    const scene = await setScene(t, { scope: long_scope, client_description: 'It goes on and on. '.repeat(40) })
    const { page } = scene
    await page.setViewportSize(viewport)
    await openConsent(scene)
    await page.locator('button:disabled').waitFor({ state: 'detached' })
    const inView = async () => {
      for (const button of [deny(page), allow(page)]) {
        const box = await button.boundingBox()
        assert.ok(box && box.y >= 0 && box.y + box.height <= viewport.height, JSON.stringify(box))
        // Nothing lies over it.
        await button.click({ trial: true })
      }
    }
    assert.ok(Number(await page.evaluate('document.documentElement.scrollHeight')) > viewport.height * 1.2)
    await inView()
    for (const checkbox of await page.getByRole('checkbox').all()) {
      await checkbox.focus()
      const [own, buttons] = [await checkbox.boundingBox(), await page.locator('.decision').boundingBox()]
      assert.ok(own && buttons && own.y + own.height <= buttons.y, await checkbox.innerHTML())
    }
    await inView()
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
    await inView()
  })
}

test('7.3 consent: writing brings reading along, and goes with it; each is shown once', async (t) => {
  const scene = await setScene(t, { scope: 'contracts:read contracts:write' })
  const { page } = scene
  await scene.console.clock.advance(601_000)
  await openConsent(scene)
  const [read, write] = ['contracts:read', 'contracts:write'].map((name) => page.getByRole('checkbox', { name }))
  assert.ok(read && write)
  assert.equal(await page.getByText('See contracts').count(), 1)
  const states = async () => [await read.isChecked(), await write.isChecked()]
  assert.deepEqual(await states(), [true, false])
  await write.click()
  assert.deepEqual(await states(), [true, true])
  await read.click()
  assert.deepEqual(await states(), [false, false])
  await write.click()
  assert.deepEqual(await states(), [true, true])
  await write.click()
  assert.deepEqual(await states(), [true, false])
  // The sign-in is older than ten minutes: who lets an app change something proves it, and the choice stays.
  await write.click()
  await allow(page).click()
  await page.getByRole('heading', { name: 'Confirm it is you' }).waitFor()
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Go on' }).click()
  await page.getByText('You may close this window.').waitFor()
  const { body } = await scene.connection.redeem(scene.program.callbacks[0]?.get('code') ?? null)
  assert.equal(body.scope, 'contracts:read contracts:write')
})

test('7.3 consent: a second connection marks what was granted before and asks again', async (t) => {
  const scene = await setScene(t, { scope: 'contracts:read' })
  const { page } = scene
  await openConsent(scene)
  await allow(page).click()
  await page.getByText('You may close this window.').waitFor()
  await openConsent(scene)
  await page.getByText('granted before').waitFor()
})

test('7.3 consent: used, expired, unknown and another person’s requests lead nowhere', async (t) => {
  const scene = await setScene(t)
  const { page, console } = scene
  await openConsent(scene)
  const address = page.url()
  await console.addMember({ email: 'mira@harbour.example' })
  const { page: hers } = await console.open(t)
  await hers.goto(address)
  await signIn(hers, 'mira@harbour.example')
  await hers.getByRole('heading', { name: 'This request is over' }).waitFor()
  await deny(page).click()
  await page.getByText('You may close this window.').waitFor()
  await page.goto(address)
  await page.getByRole('heading', { name: 'This request was decided' }).waitFor()
  await page.goto(`/console/authorize/${'x'.repeat(43)}`)
  await page.getByRole('heading', { name: 'This request is over' }).waitFor()
  await openConsent(scene)
  await console.clock.advance(10 * 60_000)
  await allow(page).click()
  await page.getByRole('heading', { name: 'This request is over' }).waitFor()
  assert.equal(await page.getByRole('link', { name: /continue|127/ }).count(), 0)
})

test('7.3 consent: signed out meanwhile, the decision asks to sign in and the request is still there', async (t) => {
  const scene = await setScene(t)
  const { page, context } = scene
  await openConsent(scene)
  await context.clearCookies()
  await allow(page).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  assert.match(page.url(), /sign-in\?to=%2Fconsole%2Fauthorize%2F/)
})

test('7.3 consent: whoever belongs to no organization can give nothing', async (t) => {
  const console = await browser.start(t)
  const { page } = await console.open(t)
  await console.addMember({ email })
  const own = { role: 'owner', organization_id: console.organization.id } as const
  await console.database.database.transaction(own, (tx) => tx.run(sql`delete from memberships`))
  const connection = await connect(console, 'https://app.example/cb', { scope })
  await page.goto(connection.authorize)
  await signIn(page, email)
  await page.getByRole('heading', { name: 'Nothing can be granted' }).waitFor()
})

test('consent.csrf: a page that was not shown the request cannot decide it', async (t) => {
  const scene = await setScene(t)
  const { page } = scene
  await openConsent(scene)
  const statuses = await page.evaluate(
    async (path) => {
      const send = async (headers: Record<string, string>, csrf_token: string) => {
        const body = JSON.stringify({ csrf_token, decision: 'deny', scopes: [], sensitive_data: [] })
        return (
          await fetch(path, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body })
        ).status
      }
      return [await send({ 'stint-console': '1' }, 'x'.repeat(43)), await send({}, 'x')]
    },
    new URL(page.url()).pathname.replace('/authorize/', '/auth/consent/'),
  )
  assert.deepEqual(statuses, [403, 403])
})

const badScope = { scope: 'contracts:everything' }

test('redirect.silent: signed out, a bad request of an unverified client stops on a page that names its host', async (t) => {
  const console = await browser.start(t)
  const connection = await connect(console, 'https://app.example/cb', badScope)
  const { page, context } = await console.open(t)
  await context.route('https://app.example/**', (route) => route.fulfill({ contentType: 'text/html', body: 'back' }))
  await page.goto(connection.authorize)
  await page.getByRole('heading', { name: 'This request cannot be answered' }).waitFor()
  assert.equal(new URL(page.url()).origin, console.origin)
  await page.getByRole('link', { name: 'Go back to app.example' }).click()
  await page.getByText('back', { exact: true }).waitFor()
  assertRefusal(page.url(), console, connection)
})

test('redirect.silent: signed in, the same request goes back to the client at once', async (t) => {
  const scene = await setScene(t)
  const connection = await connect(scene.console, 'https://app.example/cb', badScope)
  // With the cookies of the browser, which itself could not reach that host.
  const answer = await scene.context.request.get(connection.authorize, { maxRedirects: 0 })
  assert.equal(answer.status(), 303)
  assertRefusal(answer.headers().location ?? '', scene.console, connection)
})

function assertRefusal(url: string, { origin }: Console, { state }: Connection): void {
  const { host, searchParams } = new URL(url)
  const said = ['error', 'state', 'iss'].map((name) => searchParams.get(name))
  assert.deepEqual([host, ...said], ['app.example', 'invalid_scope', state, origin])
}
