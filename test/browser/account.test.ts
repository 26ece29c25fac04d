import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { noteSecret } from '#test/secrets.ts'
import { beginSession, type Console, password, signIn, useBrowser } from './support/console.ts'
import { button, heading } from './support/developer.ts'
import { dialog } from './support/find.ts'
import { look } from './support/look.ts'
import { giveSecurityKey } from './support/security-key.ts'

const email = 'nora@harbour.example'
const browser = useBrowser()
const digits = (secret: string, at_ms: number) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at_ms })

/** A member on the own page, signed in just now. */
async function onAccount(t: Parameters<typeof browser.start>[0]) {
  const console = await browser.start(t)
  await console.addMember({ email })
  const opened = await console.open(t, { permissions: ['clipboard-read', 'clipboard-write'] })
  await beginSession(opened.context, console.origin, email)
  await opened.page.goto('/console/account')
  await heading(opened.page, 'Sessions').waitFor()
  return { console, opened, page: opened.page }
}

async function codesShown(page: Page): Promise<string[]> {
  const shown = page.getByRole('dialog', { name: 'Your recovery codes' })
  const text = (await shown.locator('code').first().textContent()) ?? ''
  return text.trim().split('\n').map(noteSecret)
}

async function setUpApp(console: Console, page: Page): Promise<string> {
  await button(page, 'Set up an app').click()
  const secret = noteSecret(((await page.locator('.key code').textContent()) ?? '').replaceAll(' ', ''))
  await page.getByLabel('Code from your app').fill(digits(secret, console.clock.now()))
  await button(page, 'Turn on').click()
  return secret
}

const atHome = (page: Page) => heading(page, 'Home').waitFor()

test('7.2 sign-in: password and code of the app, a recovery code, and a used code refused', async (t) => {
  const { console, opened, page } = await onAccount(t)
  await look(opened, 'account')
  await button(page, 'Set up an app').click()
  await page.getByRole('img', { name: 'QR code' }).waitFor()
  await look(opened, 'account-totp-dialog')
  await button(page, 'Cancel').click()
  const secret = await setUpApp(console, page)
  const codes = await codesShown(page)
  assert.equal(codes.length, 10)
  await look(opened, 'account-codes-dialog')
  await button(page, 'I have saved it').click()
  await page.getByText('10 of 10 left').waitFor()

  await console.clock.advance(60_000)
  const other = await console.open(t)
  await other.page.goto('/console/sign-in')
  const enter = async (code: string) => {
    await other.page.getByLabel('Code from your app').fill(code)
    await button(other.page, 'Go on').click()
  }
  await signIn(other.page, email)
  const code = digits(secret, console.clock.now())
  await heading(other.page, 'One more step').waitFor()
  await look(other, 'sign-in-code')
  await enter(code)
  await atHome(other.page)

  await other.context.clearCookies({ name: '__Host-stint_session' })
  await other.page.goto('/console/sign-in')
  await signIn(other.page, email)
  await enter(code)
  await other.page.getByRole('alert').getByText('Each counts once.').waitFor()
  await button(other.page, 'Use a recovery code instead').click()
  await other.page.getByLabel('Recovery code').fill(codes[3] ?? '')
  await look(other, 'sign-in-recovery')
  await button(other.page, 'Go on').click()
  await atHome(other.page)

  await other.context.clearCookies({ name: '__Host-stint_session' })
  await other.page.goto('/console/sign-in')
  await signIn(other.page, email)
  await button(other.page, 'Use a recovery code instead').click()
  await other.page.getByLabel('Recovery code').fill(codes[3] ?? '')
  await button(other.page, 'Go on').click()
  await other.page.getByRole('alert').getByText('Each counts once.').waitFor()
})

test('7.2 sign-in: by a passkey alone, which also proves who it is where that is asked', async (t) => {
  const { console, opened, page } = await onAccount(t)
  await giveSecurityKey(page)
  await button(page, 'Add a passkey').click()
  await page.getByLabel('Name').fill('Laptop of Nora')
  await look(opened, 'account-passkey-dialog')
  await button(page, 'Go on').click()
  await codesShown(page)
  await button(page, 'I have saved it').click()
  await page.getByRole('row', { name: 'Laptop of Nora' }).waitFor()
  await look(opened, 'account-with-passkey')

  await console.clock.advance(11 * 60_000)
  await button(page, 'Make new codes').click()
  await dialog(page).getByRole('button', { name: 'Make new codes' }).click()
  await heading(page, 'Confirm it is you').waitFor()
  await look(opened, 'proof-dialog')
  await button(page, 'Use a passkey').click()
  assert.equal((await codesShown(page)).length, 10)
  await button(page, 'I have saved it').click()

  await opened.context.clearCookies({ name: '__Host-stint_session' })
  await page.goto('/console/sign-in')
  // A browser that offers its passkeys by itself may be through already.
  await Promise.race([button(page, 'Use a passkey').click(), atHome(page)])
  await atHome(page)
})

test('10.4 account: ending the other session signs that browser out on its next request', async (t) => {
  const { console, page } = await onAccount(t)
  const other = await console.open(t)
  await beginSession(other.context, console.origin, email)
  await other.page.goto('/console')
  await atHome(other.page)
  await page.reload()
  await page.getByRole('button', { name: /^End the session of Chrome/ }).click()
  await page.getByRole('button', { name: /^End the session of/ }).waitFor({ state: 'detached' })
  await other.page.reload()
  await heading(other.page, 'Sign in').waitFor()
})

test('10.4 account: a new password, the theme, and what goes wrong', async (t) => {
  const { console, opened, page } = await onAccount(t)
  await console.clock.advance(11 * 60_000)
  await button(page, 'Change password').click()
  const field = page.getByLabel('New password', { exact: true })
  await field.fill('Password1234')
  await dialog(page).getByRole('button', { name: 'Change password' }).click()
  await heading(page, 'Confirm it is you').waitFor()
  await page.getByLabel('Password', { exact: true }).last().fill(password)
  await button(page, 'Go on').click()
  await page.getByText('It is one of those that are tried first; take another.').waitFor()
  await look(opened, 'account-password-dialog')
  await field.fill(noteSecret('eleven loud gulls'))
  await page.keyboard.press('Enter')
  await page.getByText('Your password is changed').waitFor()
  await page.getByRole('radio', { name: 'Dark' }).check()
  assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark')
  await page.getByRole('checkbox', { name: 'Single keys act' }).uncheck()
  await heading(page, 'Your account').click()
  await page.keyboard.press('?')
  assert.equal(await page.getByRole('dialog').count(), 0)
  await page.reload()
  await heading(page, 'Sessions').waitFor()
  assert.equal(await page.getByRole('checkbox', { name: 'Single keys act' }).isChecked(), false)
})

test('10.4 account: an organization that demands a second factor shows nothing but the way to set one up', async (t) => {
  const { console, opened, page } = await onAccount(t)
  const path = `/organizations/${console.organization.id}`
  await console.call('PATCH', path, { body: { settings: { second_factor: 'required' } } })
  await page.getByRole('link', { name: 'Connected apps' }).click()
  await page.getByText('demands a second factor').waitFor()
  await page.goto('/console/tokens')
  await page.getByText('demands a second factor').waitFor()
  await page.getByRole('heading', { name: 'Sessions' }).waitFor()
  await look(opened, 'account-demanded')
  await setUpApp(console, page)
  await codesShown(page)
  await button(page, 'I have saved it').click()
  await atHome(page)
  await page.goto('/console/account')
  await page.getByRole('button', { name: 'Remove the authenticator app' }).click()
  await dialog(page).getByRole('button', { name: 'Remove' }).click()
  await page.getByText('demands a second factor, and this is your last one').waitFor()
})

test('10.1 an owner resets the second factor of a member who lost it', async (t) => {
  const { console, opened, page } = await onAccount(t)
  const other = await console.open(t)
  const id = await console.addMember({ email: 'mira@harbour.example', role: 'viewer' })
  await beginSession(other.context, console.origin, 'mira@harbour.example')
  await other.page.goto('/console/account')
  await setUpApp(console, other.page)
  await codesShown(other.page)
  await page.goto('/console/members')
  await page.getByRole('row', { name: 'mira@harbour.example' }).getByText('Yes').waitFor()
  await page.goto(`/console/members?member=${id}`)
  await look(opened, 'member-with-factor-dialog')
  await button(page, 'Reset second factor').click()
  await page.getByText('Make sure that it is').waitFor()
  await button(page, 'Reset second factor').last().click()
  await dialog(page).getByText('None', { exact: true }).waitFor()
  await other.context.clearCookies()
  await other.page.goto('/console/sign-in')
  await signIn(other.page, 'mira@harbour.example')
  await atHome(other.page)
})
