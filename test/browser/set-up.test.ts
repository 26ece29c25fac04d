import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { sql } from '#db/database.ts'
import { assertNoFaults, type Console, password, useBrowser } from './support/console.ts'

const browser = useBrowser()

const fillOwner = async (page: Page, word = password) => {
  await page.getByLabel('Your name').fill('Nora Pine')
  await page.getByLabel('E-mail').fill('nora@harbour.example')
  await page.getByLabel('Password', { exact: true }).fill(word)
  await page.getByLabel('Organization').fill('Alder & <b>Söhne</b>')
  await page.getByRole('button', { name: 'Create organization and sign in' }).click()
}

const counts = ({ database }: Console) =>
  database.database.transaction({ role: 'lookup' }, (tx) =>
    tx.row(sql`
      select (select count(*)::int from users) as users, (select count(*)::int from memberships where role = 'owner') as owners`),
  )

test('7.1 set-up: the link makes the first owner, who lands signed in; the same link again says it was used', async (t) => {
  const console = await browser.start(t)
  const link = await console.makeLink()
  const opened = await console.open(t, { timezoneId: 'Europe/Lisbon', locale: 'en-GB' })
  const { page, context } = opened
  await page.goto(`/console/set-up#${link}`)
  await page.getByRole('heading', { name: 'Set up Stint' }).waitFor()
  assert.equal(await page.getByLabel('Time zone').inputValue(), 'Europe/Lisbon')
  assert.equal(await page.getByLabel('Currency').inputValue(), 'GBP')
  await fillOwner(page)
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  assert.equal(await page.locator('.organization').textContent(), 'Alder & <b>Söhne</b>owner')
  assert.deepEqual(await counts(console), { users: 1, owners: 1 })
  assertNoFaults(opened)
  assert.equal(page.url().includes(link), false)
  const stored = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])')
  assert.match(String(stored), /^\[{},{"stint-organization":"[\w-]{36}"},""]$/)

  const second = await context.newPage()
  await second.goto(`/console/set-up#${link}`)
  await second.getByText('This link was used.').waitFor()
  await second.getByText('stint admin create').waitFor()
})

test('7.1 set-up: where it is wished for, a sandbox with sample data stands beside the organization', async (t) => {
  const console = await browser.start(t)
  const opened = await console.open(t)
  const { page } = opened
  await page.goto(`/console/set-up#${await console.makeLink()}`)
  await page.getByLabel('Also a sandbox with sample data').check()
  await fillOwner(page)
  await page.getByRole('heading', { name: 'Your first contract' }).waitFor()
  await page.getByLabel('Organization').selectOption({ label: 'Alder & <b>Söhne</b> Sandbox (sandbox)' })
  await page.getByRole('button', { name: /^Test clock/ }).waitFor()
  await page.getByRole('link', { name: 'Contracts', exact: true }).click()
  await page.getByRole('link', { name: 'Weekend on-call' }).waitFor()
  assertNoFaults(opened)
})

test('7.1 set-up: what is wrong stands at its field, which has the focus, and the link stays good', async (t) => {
  const console = await browser.start(t)
  const { page } = await console.open(t)
  await page.goto(`/console/set-up#${await console.makeLink()}`)
  await fillOwner(page, 'Password1234')
  await page.getByText('It is one of those that are tried first; take another.').waitFor()
  const field = page.getByLabel('Password', { exact: true })
  await page.locator('input[name=password]:focus').waitFor()
  assert.equal(await field.getAttribute('aria-invalid'), 'true')
  assert.equal(await page.getByLabel('Your name').inputValue(), 'Nora Pine')
  await field.fill(password)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Home' }).waitFor()
})

test('7.1 set-up: a link that is unknown, expired or not whole says so', async (t) => {
  const console = await browser.start(t)
  const { page } = await console.open(t)
  const says = async (hash: string, words: string) => {
    await page.goto('about:blank')
    await page.goto(`/console/set-up${hash}`)
    await page.getByText(words).waitFor()
  }
  await says('', 'The address is not complete')
  await says(`#${'x'.repeat(43)}`, 'This link is not known.')
  const link = await console.makeLink()
  await console.clock.advance(30 * 60_000)
  await says(`#${link}`, 'This link has expired.')
})

test('7.1 set-up: of 20 requests at once one makes the owner', async (t) => {
  const console = await browser.start(t)
  const link = await console.makeLink()
  const { page } = await console.open(t)
  await page.goto(`/console/set-up#${link}`)
  await page.getByRole('heading', { name: 'Set up Stint' }).waitFor()
  const statuses = await page.evaluate(
    async ([secret = '', word]) => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          fetch('/console/auth/set-up', {
            method: 'POST',
            headers: { 'content-type': 'application/json', 'stint-console': '1', 'stint-set-up-link': secret },
            body: JSON.stringify({
              password: word,
              owner: {
                name: 'Nora',
                email: `nora${n}@harbour.example`,
                organization: { name: `Race ${n}`, timezone: 'UTC', default_currency: 'EUR' },
              },
            }),
          }),
        ),
      )
      return answers.map(({ status }) => status).sort()
    },
    [link, password] as const,
  )
  assert.deepEqual(statuses, [201, ...Array.from({ length: 19 }, () => 404)])
  assert.deepEqual(await counts(console), { users: 1, owners: 1 })
})

test('7.1 set-up: the link of a user chooses a new password', async (t) => {
  const console = await browser.start(t)
  const user_id = await console.addMember({ email: 'mira@harbour.example' })
  const opened = await console.open(t)
  const { page } = opened
  await page.goto(`/console/set-up#${await console.makeLink(user_id)}`)
  await page.getByRole('heading', { name: 'Choose a password' }).waitFor()
  assert.equal(await page.getByLabel('E-mail').inputValue(), 'mira@harbour.example')
  await page.getByLabel('New password', { exact: true }).fill('eleven loud gulls')
  await page.getByRole('button', { name: 'Save and sign in' }).click()
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  assertNoFaults(opened)
})
