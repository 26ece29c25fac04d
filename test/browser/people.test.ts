import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#db/database.ts'
import type { Body } from '#test/factories.ts'
import { type Business, useBusiness } from './support/business.ts'
import { assertNoFaults } from './support/console.ts'
import { button, heading } from './support/developer.ts'
import { dialog, pick, rowOf, rowsOf, searchFor, settled } from './support/find.ts'
import { listed, look } from './support/look.ts'
import { saved } from './support/money.ts'

const business = useBusiness()
const born = '1990-02-03'

test('9.1 add a person: listed, found by name and by e-mail, changed, moved and removed', async (t) => {
  const console = await business.start(t)
  for (const name of ['Engineering', 'Finance']) await console.done('POST', '/departments', { name })
  await console.done('POST', '/teams', { name: 'Platform' })
  await console.person({ first_name: 'Jonas', last_name: 'Weber', email: 'jonas@harbour.example' })
  const opened = await console.visit('/people', 'admin')
  const { page } = opened
  const rows = rowsOf(page, 'People')
  await page.getByRole('link', { name: 'Add person' }).click()
  await heading(page, 'Add person').waitFor()
  // Without anything the service says at each field what is missing, and the first of them has the focus.
  await button(page, 'Add person').click()
  await page.locator('.fault').first().waitFor()
  await page.locator('[name=first_name]:focus').waitFor()
  await page.getByLabel('First name').fill('Ada')
  await page.getByLabel('Last name').fill('Lindqvist')
  await page.getByLabel('Work e-mail').fill('ada@harbour.example')
  await page.getByLabel('Date of birth').fill(born)
  await page.getByLabel('Street and number').fill('Uferstraße 8')
  await page.getByLabel('City').fill('Berlin')
  await page.getByLabel('Country of the address').selectOption('DE')
  await pick(page, 'Department (optional)', 'Engineering')
  await pick(page, 'Teams (optional)', 'Platform')
  await button(page, 'Add person').click()
  await heading(page, 'Ada Lindqvist').waitFor()
  await page.getByText('3 Feb 1990').waitFor()
  await page.getByText('Uferstraße 8').waitFor()

  await page.getByRole('link', { name: 'People', exact: true }).first().click()
  for (const typed of ['Lindq', 'ada@harbour']) {
    await searchFor(page, typed)
    await page.getByText('1 person', { exact: true }).waitFor()
    await rows.getByRole('link', { name: 'Ada Lindqvist' }).waitFor()
  }
  await searchFor(page, 'nobody of that name')
  await button(page, 'Clear filters').click()
  await page.getByText('2 people', { exact: true }).waitFor()

  await page.getByRole('link', { name: 'Ada Lindqvist' }).click()
  await button(page, 'Move…').click()
  await pick(page, 'Department', 'Finance')
  await pick(page, 'Manager', 'Jonas Weber')
  await dialog(page).getByRole('button', { name: 'Move', exact: true }).click()
  await dialog(page).waitFor({ state: 'detached' })
  await page.locator('.facts').getByText('Finance').waitFor()
  await page.locator('.facts').getByText('Platform').waitFor()

  await page.getByRole('link', { name: 'Edit', exact: true }).click()
  await page.getByLabel('Job title (optional)').fill('Data engineer')
  await button(page, 'Save changes').click()
  await page.locator('.facts').getByText('Data engineer').waitFor()
  // Fields that the form did not touch are as they were.
  const [ada] = (await console.done('GET', '/people?search=ada')).data
  assert.partialDeepStrictEqual(ada, {
    ...{ date_of_birth: born, job_title: 'Data engineer', manager: { name: 'Jonas Weber' } },
    ...{ home_address: { line_1: 'Uferstraße 8', country: 'DE' }, teams: [{ name: 'Platform' }] },
  })

  await button(page, 'Remove person…').click()
  await page.getByLabel('Type Ada Lindqvist to go on').fill('Ada Lindqvist')
  await dialog(page).getByRole('button', { name: 'Remove person' }).click()
  await page.getByText('1 person', { exact: true }).waitFor()
  // Refusals on purpose, and the removed person, who is asked for once more while the page is left.
  assertNoFaults({ ...opened, faults: opened.faults.filter((fault) => !/status of (400|404)/.test(fault)) })
})

test('the personal data of somebody are saved as a file, and erased', async (t) => {
  const console = await business.start(t)
  const { id } = await console.person({ first_name: 'Ada', last_name: 'Lindqvist', date_of_birth: born })
  const opened = await console.visit(`/people/${id}`, 'admin')
  const { page } = opened
  const file = await saved(page, () => button(page, 'Export personal data').click())
  assert.equal(file.name, `personal-data-${id}.json`)
  assert.partialDeepStrictEqual(JSON.parse(file.text), { person: { id, date_of_birth: born }, contracts: [] })

  await button(page, 'Erase personal data…').click()
  await page.getByLabel('Type Ada Lindqvist to go on').fill('Ada Lindqvist')
  await dialog(page).getByRole('button', { name: 'Erase personal data' }).click()
  await heading(page, 'Nobody yet').waitFor()
  const { data } = await console.done('GET', '/people?include_deleted=true')
  assert.partialDeepStrictEqual(data, [{ id, full_name: 'Erased person', date_of_birth: null }])
  // The erased person, who is asked for once more while the page is left.
  assertNoFaults({ ...opened, faults: opened.faults.filter((fault) => !/status of (404|422)/.test(fault)) })
})

test('9.1 a developer sees a birth date neither on a page nor in the traffic, and is offered no change', async (t) => {
  const console = await business.start(t)
  const fields = { date_of_birth: born, personal_email: 'ada.at.home@pine.example', country: 'SE' }
  const { id } = await console.person({ ...fields, first_name: 'Ada', last_name: 'Lindqvist' })
  await console.done('PUT', `/people/${id}/bank-account`, {
    ...{ holder_name: 'Ada Lindqvist', country: 'DE', currency: 'EUR', iban: 'DE02120300000000202051' },
  })
  const opened = await console.visit('/people', 'developer')
  const { page } = opened
  const bodies: Promise<string>[] = []
  opened.context.on('response', (response) => {
    // An answer that nobody waits for any more has no text.
    if (response.url().includes('/rest/')) bodies.push(response.text().catch(() => ''))
  })
  await page.getByRole('link', { name: 'Ada Lindqvist' }).click()
  await heading(page, 'Identity').waitFor()
  const hidden = page.locator('dt', { hasText: 'Date of birth' }).locator('+ dd')
  assert.equal(await hidden.textContent(), 'hidden by role')
  for (const name of ['Edit', 'Move…', 'Remove person…', 'Add bank account…', 'Replace…']) {
    assert.equal(await page.getByText(name, { exact: true }).count(), 0, name)
  }
  for (const tab of ['Contracts', 'Time off', 'Events']) {
    await page.getByRole('navigation', { name: 'Views of the person' }).getByText(tab).click()
    await page.locator('.empty, .panel').first().waitFor()
    await settled(page)
  }
  await look(opened, 'person-hidden')
  const seen = `${await page.content()} ${(await Promise.all(bodies)).join(' ')}`
  assert.match(seen, /Lindqvist/)
  for (const value of [born, '3 Feb 1990', fields.personal_email, 'DE02120300000000202051']) {
    assert.ok(!seen.includes(value), value)
  }
  await page.goto('/console/people/new')
  await heading(page, 'Not with your role').waitFor()
})

test('own fields: their values are entered, shown and cleared, of a person and of a contract', async (t) => {
  const console = await business.start(t)
  const field = (key: string, fields: object) =>
    console.done('POST', '/custom-fields', { key, name: key, entity: 'person', ...fields })
  await field('languages', { type: 'multi_select', options: ['English', 'German'] })
  await field('badge', { type: 'number' })
  await field('remote', { type: 'boolean' })
  await field('size', { type: 'select', options: ['S', 'M'] })
  await field('met_on', { type: 'date' })
  await field('budget', { entity: 'contract', type: 'text' })
  const contract = await console.pendingContract()
  const opened = await console.visit(`/people/${contract.worker_id}/edit`, 'admin')
  const { page } = opened
  await page.getByLabel('English').check()
  await page.getByLabel('German').check()
  await page.getByLabel('remote').selectOption('No')
  await page.getByLabel('size').selectOption('M')
  await page.getByLabel('met_on').fill('2026-02-03')
  await page.getByLabel('badge').fill('12a')
  await button(page, 'Save changes').click()
  await page.locator('.fault').waitFor()
  await look(opened, 'person-own-fields')
  await page.getByLabel('badge').fill('12.5')
  await button(page, 'Save changes').click()
  await page.locator('.facts').getByText('English, German').waitFor()
  const valuesNow = async () => (await console.done('GET', `/people/${contract.worker_id}`)).custom_fields
  assert.partialDeepStrictEqual(await valuesNow(), {
    ...{ languages: ['English', 'German'], badge: 12.5, remote: false, size: 'M', met_on: '2026-02-03' },
  })
  await page.getByRole('link', { name: 'Edit', exact: true }).click()
  for (const name of ['English', 'German']) await page.getByLabel(name).uncheck()
  await page.getByLabel('badge').fill('')
  // Meanwhile somebody else changes what this form does not touch.
  await console.done('PATCH', `/people/${contract.worker_id}`, { custom_fields: { size: 'S' } })
  await button(page, 'Save changes').click()
  await heading(page, /^Jonas Weber$/).waitFor()
  await page.locator('.facts').getByText('English, German').waitFor({ state: 'detached' })
  assert.partialDeepStrictEqual(await valuesNow(), { languages: null, badge: null, remote: false, size: 'S' })

  await page.goto(`/console/contracts/${contract.id}/edit`)
  await page.getByLabel('budget').fill('Harbour')
  await button(page, 'Save changes').click()
  await page.locator('.facts').getByText('Harbour', { exact: true }).waitFor()
  assertNoFaults({ ...opened, faults: opened.faults.filter((fault) => !/status of 400/.test(fault)) })
})

/** As accepting an invitation does: the person can sign in. */
const enable = ({ database, organization }: Business, { id }: Body) =>
  database.database.transaction({ role: 'owner', organization_id: organization.id }, (tx) =>
    tx.run(sql`update people set access = 'enabled' where organization_id = ${organization.id} and id = ${id}`),
  )

test('9.1 bank account, blocked access, and a removal that is refused while a contract is open', async (t) => {
  const console = await business.start(t)
  const contract = await console.contract()
  const worker = await console.done('GET', `/people/${contract.worker_id}`)
  await enable(console, worker)
  const opened = await console.visit(`/people/${worker.id}`)
  const { page } = opened
  await heading(page, 'Jonas Weber').waitFor()
  await look(opened, 'person')
  await button(page, 'Add bank account…').click()
  await dialog(page).getByLabel('IBAN', { exact: true }).last().fill('DE02 1203 0000 0000 2020 52')
  await dialog(page).getByLabel('Currency').selectOption('EUR')
  await button(page, 'Save bank account').click()
  await dialog(page).locator('.fault').waitFor()
  await look(opened, 'bank-account-dialog')
  await dialog(page).getByLabel('IBAN', { exact: true }).last().fill('DE02 1203 0000 0000 2020 51')
  await button(page, 'Save bank account').click()
  await page.getByText('DE02 1203 0000 0000 2020 51').waitFor()

  await button(page, 'Block access…').click()
  await dialog(page).getByRole('button', { name: 'Block access' }).click()
  await page.getByText('Access blocked').waitFor()
  assert.equal(await button(page, 'Block access…').isDisabled(), true)

  await page.getByText('Not while there is a pending or active contract (1 now)').waitFor()
  assert.equal(await button(page, 'Remove person…').isDisabled(), true)
  await page.getByRole('navigation', { name: 'Views of the person' }).getByText('Contracts').click()
  await listed(page)
  await page.getByText('4,200.00').waitFor()
  await look(opened, 'person-contracts')
})

test('people: nobody yet, many, the forms', async (t) => {
  const console = await business.start(t)
  const opened = await console.visit('/people')
  const { page } = opened
  await heading(page, 'Nobody yet').waitFor()
  await look(opened, 'people-empty')
  const department = await console.done('POST', '/departments', { name: 'Engineering' })
  const boss = await console.person({ first_name: 'Nora', last_name: 'Pine', job_title: 'Head of engineering' })
  const of_boss = { manager_id: boss.id, department_id: department.id, country: 'DE', start_date: '2026-01-15' }
  await console.person({ ...of_boss, first_name: 'Bartholomew', last_name: 'Featherstonehaugh-Cholmondeley' })
  await console.person({ ...of_boss, worker_type: 'employee', job_title: 'Platform engineer' })
  await console.pendingContract()
  await page.goto('/console/people')
  await listed(page)
  await look(opened, 'people')
  await page.goto('/console/people/new')
  await page.getByLabel('First name').fill('Ada')
  await page.getByLabel('Work e-mail').fill('not an address')
  await button(page, 'Add person').click()
  await page.locator('.fault').first().waitFor()
  await look(opened, 'person-new-fault')
  await page.goto(`/console/people/${boss.id}`)
  await button(page, 'Move…').click()
  // The list that is there before the typing pauses goes pale once more.
  const found = page.waitForResponse((answer) => answer.url().includes('search=Eng'))
  await dialog(page).getByLabel('Department', { exact: true }).fill('Eng')
  await found
  await page.locator('.popup-list:not(.dimmed)').getByRole('option', { name: 'Engineering' }).waitFor()
  await look(opened, 'person-move-dialog')
})

test('structure: departments, teams, legal entities and places are added, renamed and removed', async (t) => {
  const console = await business.start(t)
  const opened = await console.visit('/structure', 'admin')
  const { page } = opened
  await heading(page, 'None yet').waitFor()
  await look(opened, 'structure-empty')
  const add = async (words: string, name: string) => {
    await button(page, `Add ${words}`).click()
    await dialog(page).getByLabel('Name', { exact: true }).fill(name)
  }
  const save = async (words: string, name: string) => {
    await dialog(page).getByRole('button', { name: words }).click()
    await dialog(page).waitFor({ state: 'detached' })
    await page.locator('.table bdi').getByText(name, { exact: true }).waitFor()
  }
  await add('department', 'Engineering')
  await save('Add department', 'Engineering')
  await add('department', 'Backend')
  await pick(page, 'Below (optional)', 'Engineering')
  await look(opened, 'department-dialog')
  await save('Add department', 'Backend')
  await page.getByText('below Engineering').waitFor()
  // Names are unique; the refusal stands in the dialog.
  await add('department', 'Engineering')
  await dialog(page).getByRole('button', { name: 'Add department' }).click()
  await dialog(page).locator('.fault').waitFor()
  await page.keyboard.press('Escape')
  await button(page, 'Discard it').click()
  await button(page, 'Edit Backend').click()
  await dialog(page).getByLabel('Name', { exact: true }).fill('Platform')
  await save('Save changes', 'Platform')
  await button(page, 'Remove Engineering').click()
  await dialog(page).getByRole('button', { name: 'Remove department' }).click()
  await dialog(page).getByRole('alert').waitFor()
  await page.keyboard.press('Escape')
  await button(page, 'Remove Platform').click()
  await dialog(page).getByRole('button', { name: 'Remove department' }).click()
  await page.getByText('1 department', { exact: true }).waitFor()

  const views = page.getByRole('navigation', { name: 'Parts of the organization' })
  await views.getByText('Teams').click()
  await add('team', 'Night shift')
  await save('Add team', 'Night shift')
  await views.getByText('Working locations').click()
  await add('working location', 'Berlin')
  await dialog(page).getByLabel('Country').selectOption('DE')
  await save('Add working location', 'Berlin')
  await views.getByText('Legal entities').click()
  await add('legal entity', 'Harbour Pine Inc.')
  await dialog(page).getByLabel('Country').selectOption('US')
  await dialog(page).getByLabel('Make it the default').check()
  await save('Add legal entity', 'Harbour Pine Inc.')
  await rowOf(page, 'Harbour Pine Inc.').getByText('default').waitFor()
  await page.getByText('default', { exact: true }).nth(1).waitFor({ state: 'detached' })
  await look(opened, 'structure')

  await views.getByText('Own fields').click()
  await add('field', 'Languages')
  await dialog(page).getByLabel('Key').fill('Languages')
  await dialog(page).getByLabel('Holds').selectOption({ label: 'Several of some' })
  await dialog(page).getByLabel('Options').fill('English\nGerman\nPortuguese')
  await dialog(page).getByRole('button', { name: 'Add field' }).click()
  await dialog(page).locator('.fault').waitFor()
  await look(opened, 'field-dialog')
  await dialog(page).getByLabel('Key').fill('languages')
  await save('Add field', 'Languages')
  await button(page, 'Edit Languages').click()
  await dialog(page).getByLabel('Options').fill('English\nGerman')
  await save('Save changes', 'Languages')
  await rowOf(page, 'Languages').getByText('English, German', { exact: false }).waitFor()
  const viewer = await console.visit('/structure', 'viewer')
  await listed(viewer.page)
  assert.equal(await viewer.page.getByRole('button', { name: /^(Add|Edit|Remove)/ }).count(), 0)
})
