import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Role } from '#core/caller.ts'
import { rightsOf } from '#identity/scopes.ts'
import { noteSecret } from '#test/secrets.ts'
import { areas, rolesToGive } from '../../console/src/app/members/roles.ts'
import { mayGive } from '../../server/resources/members/member.ts'
import { useBusiness } from './support/business.ts'
import { connect, startProgram } from './support/client.ts'
import { assertNoFaults, password } from './support/console.ts'
import { button, email, heading } from './support/developer.ts'
import { copied, dialog, rowOf, settled } from './support/find.ts'
import { listed, look } from './support/look.ts'

const business = useBusiness()
// The cast holds because an object has its keys.
const roles = Object.keys(rightsOf) as Role[]

const memberRow = (page: Page, role: Role) => rowOf(page, `${role}.${email}`)
const openMember = (page: Page, role: Role) => memberRow(page, role).getByRole('link', { name: 'Nora Pine' }).click()

test('10.1 the words for roles say what the service goes by', () => {
  for (const { words, by, rights } of areas) {
    for (const role of roles) {
      const held: readonly string[] = [...rightsOf[role].scopes, ...rightsOf[role].sensitive_data]
      const right = held.includes(`${by}:write`)
        ? 'write'
        : held.includes(`${by}:read`) || held.includes(by)
          ? 'read'
          : 'none'
      assert.equal(rights[role], right, `${role}: ${words}`)
    }
  }
  for (const giver of ['owner', 'admin'] as const) {
    assert.deepEqual(
      rolesToGive(giver),
      roles.filter((role) => mayGive(giver, role)),
    )
  }
})

test('10.1 a lowered role takes the entry from the menu of the other’s open tab at the next click, and the call is 403', async (t) => {
  const console = await business.start(t)
  const owner = await console.visit('/members')
  // A page that asks nothing by itself: Home would be told before the click.
  const other = await console.visit('/members', 'developer')
  const webhooks = other.page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Webhooks' })
  await webhooks.waitFor()
  const { page } = owner
  await page.reload()
  await openMember(page, 'developer')
  await dialog(page).getByLabel('Role', { exact: true }).selectOption('finance')
  await dialog(page).getByText('Changes invoices, payments and the ledger').waitFor()
  await dialog(page).getByText('No longer sees webhooks and events').waitFor()
  await look(owner, 'member-dialog')
  await button(page, 'Change role to finance').click()
  await memberRow(page, 'developer').getByText('Finance').waitFor()

  const asked = other.page.waitForResponse((answer) => answer.url().includes('/rest/v2/webhooks?'))
  await webhooks.click()
  assert.equal((await asked).status(), 403)
  await heading(other.page, 'Not with your role').waitFor()
  await webhooks.waitFor({ state: 'detached' })
  await other.page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Members' }).waitFor()
})

test('10.1 the last owner’s controls are off and say why; a disabled member is signed out', async (t) => {
  const console = await business.start(t)
  const { page, ...opened } = await console.visit('/members')
  await openMember(page, 'owner')
  await dialog(page).getByText('This is the only owner. Make somebody else owner first.').waitFor()
  assert.equal(await dialog(page).getByLabel('Role', { exact: true }).isDisabled(), true)
  for (const name of ['Disable', 'Remove from organization']) {
    const control = dialog(page).getByRole('button', { name, exact: true })
    assert.equal(await control.isDisabled(), true)
    const reason = await control.getAttribute('aria-describedby')
    assert.match((await page.locator(`#${reason}`).textContent()) ?? '', /only owner/)
  }
  await look({ page, ...opened }, 'member-last-owner-dialog')
  await page.keyboard.press('Escape')

  const admin = await console.visit('/members', 'admin')
  await openMember(admin.page, 'owner')
  await dialog(admin.page).getByText('Only an owner changes an owner.').waitFor()
  await admin.page.keyboard.press('Escape')
  await page.reload()
  await openMember(page, 'admin')
  await button(page, 'Disable').click()
  await look({ page, ...opened }, 'member-disable-dialog')
  await button(page, 'Disable member').click()
  await dialog(page).getByRole('button', { name: 'Enable' }).waitFor()
  await admin.page.getByRole('link', { name: 'Settings' }).click()
  await heading(admin.page, 'Sign in again').waitFor()
  const viewer = await console.visit('/members', 'viewer')
  await openMember(viewer.page, 'owner')
  await dialog(viewer.page).getByText('Owners and admins change members; you are viewer.').waitFor()
})

test('10.1 somebody is invited, gets another link, and the invitation is taken back', async (t) => {
  const console = await business.start(t)
  const opened = await console.visit('/members', 'admin')
  const { page } = opened
  const link = async () => {
    await heading(page, 'Hand over this link').waitFor()
    return noteSecret((await page.getByRole('group', { name: 'invitation link' }).textContent()) ?? '')
  }
  await button(page, 'Invite member').click()
  await page.getByLabel('E-mail').fill(`ADMIN.${email}`)
  assert.deepEqual(await dialog(page).getByRole('radio').count(), 3, 'an admin gives no more than the own role has')
  await look(opened, 'member-invite-dialog')
  await button(page, 'Make the invitation').click()
  await page.getByText('A member has this e-mail address.').waitFor()
  await page.getByLabel('E-mail').fill('jonas@harbour.example')
  await page.getByLabel('Developer').check()
  await button(page, 'Make the invitation').click()
  const first = await link()
  assert.match(first, /\/console\/invite#[\w-]{43}$/)
  await look(opened, 'member-link-dialog')
  await button(page, 'Done').click()
  await page
    .getByRole('table', { name: 'Open invitations' })
    .getByText('jonas@harbour.example', { exact: true })
    .waitFor()
  await look(opened, 'members')
  await button(page, 'New link for jonas@harbour.example').click()
  await button(page, 'Make a new link').click()
  assert.notEqual(await link(), first)
  await button(page, 'Done').click()
  await button(page, 'Take back the invitation of jonas@harbour.example').click()
  await button(page, 'Take back').click()
  await page.getByText('Open invitations').waitFor({ state: 'detached' })
  assert.equal((await page.content()).includes(first), false)
})

test('10.1 the link of an invitation makes a login, which is a member with the role that was chosen', async (t) => {
  const console = await business.start(t)
  const { page } = await console.visit('/members')
  await button(page, 'Invite member').click()
  await page.getByLabel('E-mail').fill('jonas@harbour.example')
  await page.getByLabel('Developer').check()
  await button(page, 'Make the invitation').click()
  const link = noteSecret((await page.getByRole('group', { name: 'invitation link' }).textContent()) ?? '')
  await button(page, 'Done').click()

  const invited = await console.open(t)
  await invited.page.goto(link)
  await heading(invited.page, 'Join Harbour Pine Sandbox').waitFor()
  await invited.page.getByText('developer', { exact: true }).waitFor()
  await invited.page.getByLabel('Your name').fill('Jonas Weber')
  await invited.page.getByLabel('Choose a password').fill(password)
  await button(invited.page, 'Make the login and go on').click()
  await invited.page.getByRole('link', { name: 'OAuth clients' }).waitFor()
  const again = await console.open(t)
  await again.page.goto(link)
  await again.page.getByText('This link was used.').waitFor()
  await page.reload()
  await rowOf(page, 'Jonas Weber').getByText('Developer').waitFor()
  await settled(page)
  assert.equal(await page.getByText('Open invitations').count(), 0)
})

test('10.2 every write at a page is in the audit log with actor, address and request id', async (t) => {
  const console = await business.start(t)
  const opened = await console.visit('/settings')
  const { page } = opened
  const written: string[] = []
  page.on('response', (answer) => {
    if (answer.request().method() !== 'GET' && answer.url().includes('/rest/v2/')) {
      written.push(answer.headers()['request-id'] ?? '')
    }
  })
  await page.getByLabel('Legal name').fill('Harbour Pine GmbH')
  await button(page, 'Save changes').click()
  await page.getByText('Saved.').waitFor()
  await page.goto('/console/members')
  await button(page, 'Invite member').click()
  await page.getByLabel('E-mail').fill('jonas@harbour.example')
  await button(page, 'Make the invitation').click()
  await heading(page, 'Hand over this link').waitFor()
  await button(page, 'Done').click()
  await page.goto('/console/audit')
  await listed(page)
  await look(opened, 'audit')
  assert.equal(written.length, 2)
  for (const action of ['Organizations: update', 'Member invitations: create']) {
    await page.getByRole('link', { name: action }).click()
    const drawer = dialog(page)
    await drawer.getByText('Nora Pine').first().waitFor()
    await drawer.getByText('127.0.0.1').or(drawer.getByText('::1')).first().waitFor()
    const codes = await drawer.locator('dd code').allTextContents()
    assert.ok(
      written.some((id) => codes.includes(id)),
      `${action}: ${codes}`,
    )
    await page.keyboard.press('Escape')
  }
  await page.getByRole('link', { name: 'Organizations: update' }).click()
  await dialog(page).getByText('legal_name').waitFor()
  assert.equal((await page.content()).includes('Harbour Pine GmbH'), false, 'values are not kept')
  await dialog(page).getByText('not yet: within a minute').waitFor()
  await look(opened, 'audit-entry-dialog')
  await button(page, 'All about this object').click()
  await page.getByText('1 entry').waitFor()
  const command = await copied(page, button(page, /Copy as command/))
  assert.match(command, /^stint audit list --subject-id '[\da-f-]{36}'$/)
  await page.getByLabel('Day from').fill('2031-01-01')
  await page.getByText('Nothing fits these filters.').waitFor()
  assertNoFaults(opened)
})

test('10.2 the audit log tells how far it is sealed, and gives the seal to keep elsewhere', async (t) => {
  const console = await business.start(t)
  const opened = await console.visit('/audit')
  const { page } = opened
  await page.getByText('Nothing is sealed yet').waitFor()
  await console.sealing.runDue()
  await page.reload()
  await page.getByText('Sealed up to').waitFor()
  await look(opened, 'audit-sealed')
  const seal = JSON.parse(await copied(page, button(page, /Copy seal/)))
  assert.deepEqual([seal.batch, seal.hash.length], [1, 64])
  await page.getByRole('main').getByRole('link').first().click()
  await dialog(page)
    .getByText(/^batch 1, position \d+$/)
    .waitFor()
  assertNoFaults(opened)
})

test('10.4 settings of the organization are changed by those who may, and read by the others', async (t) => {
  const console = await business.start(t)
  const opened = await console.visit('/settings', 'admin')
  const { page } = opened
  await page.getByLabel('Invoice numbers begin with').fill('HP')
  await page.getByLabel('By a second person').check()
  await page.getByLabel('Time zone').selectOption('Europe/Lisbon')
  // Going elsewhere does not lose it without a word.
  await page.getByRole('link', { name: 'People' }).click()
  await heading(page, 'What you typed is not saved').waitFor()
  await look(opened, 'settings-leave-dialog')
  await button(page, 'Stay here').click()
  assert.equal(await page.getByLabel('Invoice numbers begin with').inputValue(), 'HP')
  await look(opened, 'settings')
  await button(page, 'Save changes').click()
  await page.getByText('Saved.').waitFor()
  const { body } = await console.call('GET', `/organizations/${console.organization.id}`)
  assert.deepEqual(
    [body.settings.invoice_prefix, body.settings.payment_approval, body.timezone],
    ['HP', 'second_person', 'Europe/Lisbon'],
  )
  const viewer = await console.visit('/settings', 'viewer')
  await viewer.page.getByText('Owners and admins change them; you are viewer.').waitFor()
  await viewer.page.getByText('By a second person').waitFor()
  await look(viewer, 'settings-read')
})

test('8.13 a client is made with a secret that is shown once, rotated and deleted', async (t) => {
  const console = await business.start(t)
  const opened = await console.visit('/oauth')
  const { page } = opened
  await heading(page, 'No client yet').waitFor()
  await look(opened, 'oauth-empty')
  await page.getByRole('link', { name: 'New client' }).click()
  await page.getByLabel('Name').fill('Payroll sync')
  await page.getByLabel('People who allow it').uncheck()
  await button(page, 'Create client').click()
  await page.getByText('Choose at least one.').waitFor()
  await page.getByLabel('This organization, without a person').check()
  await page.getByRole('group', { name: 'People' }).getByLabel('Read').check()
  await look(opened, 'oauth-new')
  await console.clock.advance(601_000)
  await button(page, 'Create client').click()
  await heading(page, 'Confirm it is you').waitFor()
  await page.getByLabel('Password', { exact: true }).fill(password)
  await button(page, 'Go on').click()
  await heading(page, 'The client’s secret').waitFor()
  const shown = async () => noteSecret((await page.getByRole('group', { name: 'client secret' }).textContent()) ?? '')
  const secret = await shown()
  await look(opened, 'oauth-secret-dialog')
  await button(page, 'I have saved it').click()
  await heading(page, 'Payroll sync').waitFor()
  const client_id = new URL(page.url()).searchParams.get('client') ?? ''
  const token = async (client_secret: string) => {
    const answer = await console.app.inject({
      method: 'POST',
      url: '/oauth/token',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}`,
      },
      payload: 'grant_type=client_credentials',
    })
    return answer.statusCode
  }
  assert.equal(await token(secret), 200)
  await look(opened, 'oauth-client-dialog')
  await page.getByRole('link', { name: 'Edit client' }).click()
  await heading(page, 'Edit Payroll sync').waitFor()
  await page.getByLabel('Description (optional)').fill('Books what was paid.')
  const people = page.getByRole('group', { name: 'People' })
  await people.getByLabel('None').check()
  await button(page, 'Save changes').click()
  await page.getByText('Choose at least one').waitFor()
  await page.getByRole('group', { name: 'Contracts' }).getByLabel('Read').check()
  await page.getByText('It loses a right.').waitFor()
  await look(opened, 'oauth-edit')
  await button(page, 'Save changes').click()
  await dialog(page).getByText('Books what was paid.').waitFor()
  await dialog(page).getByText('contracts:read', { exact: true }).waitFor()
  const changed = (await console.call('GET', `/oauth-clients/${client_id}`)).body
  assert.deepEqual([changed.name, changed.scopes, changed.sensitive_data], ['Payroll sync', ['contracts:read'], []])
  await button(page, 'Rotate secret').click()
  await page.getByLabel('The old secret goes on working').selectOption('0')
  await button(page, 'Make the new secret').click()
  await heading(page, 'The new secret').waitFor()
  const next = await shown()
  await button(page, 'I have saved it').click()
  assert.deepEqual([await token(secret), await token(next)], [401, 200])
  assert.equal((await page.content()).includes(next), false)
  await button(page, 'Delete client').last().click()
  await page.getByLabel('Type Payroll sync to go on').fill('Payroll sync')
  await dialog(page).getByRole('button', { name: 'Delete client' }).click()
  await heading(page, 'No client yet').waitFor()
  assert.equal(await token(next), 401)
})

test('8.13 revoke: the app’s next call is 401 and its refresh fails; a blocked client cannot reach consent', async (t) => {
  const console = await business.start(t)
  const program = await startProgram(t)
  const { authorize, redeem } = await connect(console, program.redirect_uri, { scope: 'contracts:read' })
  const client_id = new URL(authorize, console.origin).searchParams.get('client_id') ?? ''
  const opened = await console.visit('/')
  const { page } = opened
  await page.goto(`${authorize}&resource=${encodeURIComponent(`${console.origin}/rest/v2`)}`)
  await button(page, 'Allow').click()
  await page.getByText('You may close this window.').waitFor()
  const { body } = await redeem(program.callbacks[0]?.get('code') ?? null)
  const access = noteSecret(String(body.access_token))
  const works = async () => (await console.call('GET', '/organizations', { token: access })).status
  assert.equal(await works(), 200)
  await page.goto('/console/apps')
  await button(page, /Disconnect/).click()
  await dialog(page).getByRole('button', { name: 'Disconnect' }).click()
  await page.getByText('disconnected').waitFor()
  assert.equal(await works(), 401)
  const payload = new URLSearchParams({
    grant_type: 'refresh_token',
    refresh_token: String(body.refresh_token),
    client_id,
  })
  const refreshed = await console.app.inject({
    method: 'POST',
    url: '/oauth/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: payload.toString(),
  })
  assert.equal(refreshed.json().error, 'invalid_grant')

  opened.faults.length = 0 // The program's own page was opened.
  await page.goto('/console/oauth')
  await page.getByText('Unverified').waitFor()
  await page.getByRole('link', { name: 'Desk Assistant' }).click()
  await button(page, 'Verify client').click()
  await dialog(page).getByText('Verified', { exact: true }).waitFor()
  await look(opened, 'oauth-others-dialog')
  await button(page, 'Block client').click()
  await dialog(page).getByRole('button', { name: 'Block client' }).click()
  await dialog(page).getByText('Blocked', { exact: true }).first().waitFor()
  await page.keyboard.press('Escape')
  await look(opened, 'oauth')
  await page.goto(authorize)
  await page.getByRole('heading', { level: 1 }).waitFor()
  assert.equal(await button(page, 'Allow').count(), 0)
})

test('the test clock of a sandbox is read, moved to the next step and by a month, and reset', async (t) => {
  const console = await business.start(t)
  await console.contract()
  await console.advance({ by: 'P1D' })
  const opened = await console.visit('/')
  const { page } = opened
  const clock = button(page, /^Test clock/)
  await clock.click()
  const drawer = dialog(page)
  const time = async (name: string) =>
    drawer.locator('dt', { hasText: name }).locator('+ dd time').getAttribute('datetime')
  const next = await time('Next step')
  await look(opened, 'test-clock-dialog')
  await button(page, 'To the next step…').click()
  await page.getByText(/the first falls due on/).waitFor()
  await look(opened, 'test-clock-move-dialog')
  // Nothing has moved before somebody says so.
  assert.notEqual((await console.call('GET', '/sandbox/clock')).body.now, next)
  await button(page, 'Move the clock').click()
  await drawer.getByText(/\d+ scheduled steps? happened on the way/).waitFor()
  await drawer.locator('dd').first().locator(`time[datetime="${next}"]`).waitFor()
  await button(page, '1 month…').click()
  await button(page, 'Move the clock').click()
  await drawer.locator('dd').first().locator(`time:not([datetime="${next}"])`).waitFor()
  const { now } = (await console.call('GET', '/sandbox/clock')).body
  assert.equal(await time('Now'), now)
  await drawer.getByLabel('To this time').fill('2020-01-01T00:00')
  await button(page, 'Advance…').click()
  await button(page, 'Move the clock').click()
  await page.getByText('must lead beyond').waitFor()
  await button(page, 'Cancel').click()
  await button(page, 'Reset sandbox…').click()
  await page.getByLabel('Fill it with the demo data').uncheck()
  await page.getByLabel('Type Harbour Pine Sandbox to go on').fill('Harbour Pine Sandbox')
  await look(opened, 'sandbox-reset-dialog')
  await button(page, 'Reset sandbox').click()
  await drawer.getByText('0 scheduled steps').waitFor()
  assert.equal((await console.call('GET', '/contracts')).body.total_count, 0)
  const live = await console.visit('/', 'viewer')
  await button(live.page, /^Test clock/).click()
  await dialog(live.page).getByText('Owners and admins move the clock; you are viewer.').waitFor()
})
