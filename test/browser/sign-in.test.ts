import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertNoFaults, password, signIn, useBrowser } from './support/console.ts'
import { begun } from './support/find.ts'

const email = 'nora@harbour.example'
const browser = useBrowser()

test('7.2 sign-in: the right password leads where the person was going, and signing out back', async (t) => {
  const console = await browser.start(t)
  await console.addMember({ email })
  const opened = await console.open(t)
  const { page, context } = opened
  await page.goto('/console')
  await page.waitForURL('**/console/sign-in?to=%2Fconsole')
  await signIn(page, email)
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  assert.equal(await page.locator('.organization').textContent(), 'Harbour Pineowner')
  const cookie = (await context.cookies()).find(({ name }) => name === '__Host-stint_session')
  assert.deepEqual(
    [cookie?.name, cookie?.httpOnly, cookie?.secure, cookie?.sameSite, cookie?.path],
    ['__Host-stint_session', true, true, 'Lax', '/'],
  )
  await page.getByRole('button', { name: 'Nora Pine' }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  // The cookie that is left lets the browser prove later that it signed in here before, and opens nothing.
  assert.match((await context.cookies()).map(({ name }) => name).join(), /^__Host-stint_device_[\w-]{16}$/)
  assertNoFaults(opened)
})

test('7.2 sign-in: by keyboard alone, the password shown on demand', async (t) => {
  const console = await browser.start(t)
  await console.addMember({ email })
  const opened = await console.open(t)
  const { page } = opened
  await page.goto('/console/sign-in')
  await begun(page, 'Sign in')
  await page.keyboard.press('Tab')
  await page.keyboard.type(email)
  await page.keyboard.press('Tab')
  await page.keyboard.type(password)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Space')
  assert.equal(await page.getByLabel('Password', { exact: true }).getAttribute('type'), 'text')
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  assertNoFaults(opened)
})

test('7.2 sign-in: an unknown address and a wrong password show the same text', async (t) => {
  const console = await browser.start(t)
  await console.addMember({ email })
  const { page, faults } = await console.open(t)
  await page.goto('/console/sign-in')
  const texts: (string | null)[] = []
  for (const address of [email, 'nobody@harbour.example']) {
    await signIn(page, address, 'not the password')
    texts.push(await page.getByRole('alert').textContent())
    await page.reload()
  }
  assert.deepEqual(
    texts,
    Array.from({ length: 2 }, () => 'The e-mail address or the password is wrong.'),
  )
  // The browser itself reports an answer of 403, and nothing else was wrong.
  assert.deepEqual(
    faults.filter((fault) => !fault.includes('403')),
    [],
  )
})

test('7.2 sign-in: after five wrong passwords the page counts down and then lets one try again', async (t) => {
  const console = await browser.start(t)
  await console.addMember({ email })
  const { page } = await console.open(t)
  // The seconds of the countdown are those that are let pass here.
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 60_000)
  await page.goto('/console/sign-in')
  for (let times = 0; times < 5; times += 1) {
    const answered = page.waitForResponse(
      (answer) => answer.request().method() === 'POST' && answer.url().endsWith('/session'),
    )
    await signIn(page, email, 'not the password')
    assert.equal((await answered).status(), 403)
    await page.getByRole('alert').waitFor()
  }
  await signIn(page, email)
  await page.getByText('Too many attempts.').waitFor()
  const button = page.getByRole('button', { name: 'Sign in' })
  assert.equal(await button.isDisabled(), true)
  await console.clock.advance(2_000)
  await page.clock.runFor(2_000)
  await page.getByText('Too many attempts.').waitFor({ state: 'detached' })
  await button.click()
  await page.getByRole('heading', { name: 'Home' }).waitFor()
})

const foreign = [
  '//evil.example/console',
  'https://evil.example/',
  'javascript:alert(1)',
  '/docs',
  '/console.evil',
  '/console/sign-in',
]
test('7.2 sign-in: nobody is sent to an address that is not the console’s own', async (t) => {
  const console = await browser.start(t)
  await console.addMember({ email })
  for (const to of foreign) {
    const { page, context } = await console.open(t)
    await page.goto(`/console/sign-in?to=${encodeURIComponent(to)}`)
    await signIn(page, email)
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    assert.equal(page.url(), `${console.origin}/console`, to)
    await context.close()
  }
})

test('7.2 sign-in: a service that is away is said so, and what was typed stays', async (t) => {
  const console = await browser.start(t)
  await console.addMember({ email })
  const { page, context } = await console.open(t)
  await page.goto('/console/sign-in')
  await page.getByLabel('E-mail').waitFor()
  await context.route('**/console/auth/session', (route) => route.abort())
  await signIn(page, email)
  await page.getByText('The service could not be reached.').waitFor()
  assert.equal(await page.getByLabel('E-mail').inputValue(), email)
  await context.unrouteAll()
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Home' }).waitFor()
})

test('7.2 sign-in: a session that ended elsewhere leads back here', async (t) => {
  const console = await browser.start(t)
  await console.addMember({ email })
  const { page } = await console.open(t)
  await page.goto('/console/sign-in')
  await signIn(page, email)
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  await console.clock.advance(9 * 3_600_000)
  await page.reload()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
})

test('the session cookie opens nothing at the REST API', async (t) => {
  const console = await browser.start(t)
  await console.addMember({ email })
  const { page } = await console.open(t)
  await page.goto('/console/sign-in')
  await signIn(page, email)
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  const statuses = await page.evaluate(async () => {
    const answers = await Promise.all(['/rest/v2/contracts', '/rest/v2/organizations'].map((path) => fetch(path)))
    return answers.map(({ status }) => status)
  })
  assert.deepEqual(statuses, [401, 401])
})
