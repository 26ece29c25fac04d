import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newId } from '#core/values.ts'
import { sql } from '#db/database.ts'
import { addMember, type Body, createPerson, linkAccount, memberToken, workerLogin } from '#test/factories.ts'
import { at, done } from '#test/invoices.ts'
import { rowTexts } from '#test/secrets.ts'
import { startTestService, type TestService } from '#test/service.ts'

let t: TestService
before(async () => {
  t = await startTestService()
})
after(() => t.close())

/** Texts that nobody else has, one for each place that personal data are given. */
const own = {
  ...{ first: 'Zephyrine', last: 'Quillfeather', preferred: 'Zephi', email: 'zq@harbour.example' },
  ...{
    personal_email: 'zq@home.example',
    phone: '+4930987654321',
    street: 'Nebelgasse 77',
    emergency: 'Quentin Notruf',
  },
  ...{ birth: '1987-11-23', passport: 'GOVX998877', vat: 'DE998877665', iban: 'DE02120300000000202051' },
  ...{ external: 'zq-0815', custom: 'Hausschuhe 43', login: 'zq@login.example', login_name: 'Zephyrine Q.' },
  ...{ pain: 'Rueckenleiden', back: 'Gute Besserung', sign: 'Z. Quillfeather', words: 'Zu viele Pausen' },
  ...{ amendment: 'Elternzeit', ending: 'Zieht nach Porto', address: '203.0.113.77', job: 'Turmwaechterin' },
}

/** A worker with everything that can be known of one, whose contract is over and paid. */
async function workedAndLeft(): Promise<{ person_id: string; user_id: string; invoice_id: string }> {
  const { database, organization } = t
  await t.clock.set('2026-01-13T10:00:00.000Z')
  await done(t, 'POST', '/custom-fields', { entity: 'person', key: 'shoes', name: 'Shoes', type: 'text' })
  const { id: person_id } = await done(t, 'POST', '/people', {
    ...{ first_name: own.first, last_name: own.last, preferred_name: own.preferred, email: own.email, country: 'DE' },
    ...{ personal_email: own.personal_email, phone: own.phone, external_id: own.external, job_title: own.job },
    home_address: { line_1: own.street, city: 'Berlin', country: 'DE' },
    emergency_contact: { name: own.emergency, phone: own.phone },
    ...{ date_of_birth: own.birth, vat_id: own.vat, custom_fields: { shoes: own.custom } },
    government_ids: [{ type: 'passport', country: 'DE', number: own.passport }],
  })
  const account = { holder_name: own.login_name, country: 'DE', currency: 'EUR', iban: own.iban }
  await done(t, 'PUT', `/people/${person_id}/bank-account`, account)
  const user_id = newId(t.clock.now())
  await database.database.transaction({ role: 'owner', organization_id: organization.id }, async (tx) => {
    await tx.run(sql`
      insert into users (id, email, name, password_hash, created_at, updated_at)
      values (${user_id}, ${own.login}, ${own.login_name}, null, app_now(), app_now())`)
    await tx.run(sql`
      insert into passkeys (id, user_id, credential_id, public_key, counter, transports, is_synced, name, created_at)
      values (${newId(t.clock.now())}, ${user_id}, 'zq', '', 0, '{}', false, ${own.login_name}, app_now())`)
  })
  await linkAccount(t, person_id, user_id)
  const owner = await memberToken(t, 'owner')
  const asked = { email: own.email, role: 'viewer' }
  const invitation = await done(t, 'POST', '/members/invitations', asked, owner)
  await done(t, 'POST', `/members/invitations/${invitation.id}/revoke`, {}, owner)
  const worker = await workerLogin(t, person_id)

  const compensation = { amount: '45.00', currency: 'EUR', scale: 'hourly', frequency: 'monthly' }
  const { id } = await done(t, 'POST', '/contracts', {
    ...{ type: 'pay_as_you_go', title: 'Tower', worker_id: person_id, start_date: '2026-01-15', compensation },
  })
  await done(t, 'POST', `/contracts/${id}/sign`, { signer_name: 'Nora Pine', terms_version: 1 })
  await done(t, 'POST', `/contracts/${id}/invite`, { email: own.email, message: `Dear ${own.first}` })
  await done(t, 'POST', `/worker/contracts/${id}/sign`, { signer_name: own.sign, terms_version: 1 }, worker)
  const amendments = `/contracts/${id}/amendments`
  const amendment = await done(t, 'POST', amendments, { terms: { amount: '46.00' }, reason: own.amendment })
  const signed = await done(t, 'POST', `${amendments}/${amendment.id}/sign`, { signer_name: 'Nora Pine' })
  const agreed = { signer_name: own.sign, terms_version: signed.terms_version }
  await done(t, 'POST', `/worker${amendments}/${amendment.id}/sign`, agreed, worker)
  const second = await done(t, 'POST', amendments, { terms: { amount: '47.00' } })
  await done(t, 'POST', `${amendments}/${second.id}/sign`, { signer_name: 'Nora Pine' })
  await done(t, 'POST', `/worker${amendments}/${second.id}/decline`, { reason: own.ending }, worker)

  await at(t, '2026-01-26T10:00:00.000Z')
  const policy = { name: 'Sick', leave_type: 'sick', annual_allowance_days: '30' }
  const { id: policy_id } = await done(t, 'POST', '/time-off-policies', policy)
  const days = { policy_id, start_date: '2026-01-27', end_date: '2026-01-27', reason: own.pain }
  const absence = await done(t, 'POST', '/worker/time-offs', days, worker)
  await done(t, 'POST', `/time-offs/${absence.id}/review`, { status: 'approved', reason: own.back })
  const week = { contract_id: id, start_date: '2026-01-19', end_date: '2026-01-23', description: 'Week 4' }
  for (const [quantity, status] of [
    ['38', 'approved'],
    ['1', 'declined'],
  ]) {
    const sheet = await done(t, 'POST', '/worker/timesheets', { ...week, quantity }, worker)
    await done(t, 'POST', `/timesheets/${sheet.id}/review`, { status, reason: own.words })
  }
  await done(t, 'POST', `/contracts/${id}/terminate`, {
    ...{ type: 'resignation', completion_date: '2026-01-31', reason: own.ending },
  })
  await at(t, '2026-02-10T10:00:00.000Z')
  const { data: invoices } = await done(t, 'GET', '/invoices')
  const payment = await done(t, 'POST', '/payments', { invoice_ids: invoices.map((each: Body) => each.id) })
  if (payment.status === 'pending_approval') await done(t, 'POST', `/payments/${payment.id}/approve`, {})
  await done(t, 'POST', `/payments/${payment.id}/settle`, {})
  await database.database.transaction({ role: 'app', organization_id: organization.id }, (tx) =>
    // With a use of now, so that the one that is noted a moment later does not replace it.
    tx.run(sql`
      update access_tokens set last_used_address = ${own.address}, last_used_at = app_now() where person_id = ${person_id}`),
  )
  return { person_id, user_id, invoice_id: invoices[0].id }
}

/**
 * Tables that keep personal data after an erasure, with the reason. The first two for as long as the law has them kept,
 * the others for the days of their retention.
 */
const kept_in = {
  invoices: 'names their supplier as they were issued',
  audit_entries: 'who did what is sealed',
  idempotent_answers: '24 hours',
  events: '30 days',
  event_bodies: '30 days',
  webhook_deliveries: '30 days',
  request_logs: '30 days',
}

const values = Object.entries({ ...own, login_words: 'Zephyrine' })
const tableOf = (row: string) => row.slice(0, row.indexOf(':')).replace(/_default$|_\d{8}$/, '')

test('after an erasure no row of the database names the person but those that are kept for a reason', async () => {
  const { person_id, user_id, invoice_id } = await workedAndLeft()
  const before_it = await done(t, 'GET', `/invoices/${invoice_id}`)
  const held = await rowTexts(t.database.database)
  for (const [name, value] of values)
    assert.ok(
      held.some((row) => row.includes(value)),
      `${name} is nowhere: no test`,
    )

  await done(t, 'POST', `/people/${person_id}/erase`, {})

  const rows = await rowTexts(t.database.database)
  const words = values.map(([, value]) => value.toLowerCase())
  const naming = rows.filter((row) => words.some((word) => row.toLowerCase().includes(word)))
  assert.deepEqual(
    naming.filter((row) => !(tableOf(row) in kept_in)),
    [],
  )
  assert.ok(!rows.some((row) => tableOf(row) === 'users' && row.includes(user_id)), 'the account is left')
  assert.deepEqual(await done(t, 'GET', `/invoices/${invoice_id}`), {
    ...before_it,
    worker_email: `${person_id}@erased.invalid`,
  })
})

test('an account that is a member elsewhere outlives the person', async () => {
  const other = await t.createOrganization()
  const { member_id } = await addMember(t, 'viewer', other.id)
  const { id } = await createPerson(t)
  await linkAccount(t, id, member_id)
  await done(t, 'POST', `/people/${id}/erase`, {})
  const rows = await rowTexts(t.database.database)
  assert.ok(rows.some((row) => tableOf(row) === 'users' && row.includes(member_id)))
  assert.ok(!rows.some((row) => tableOf(row) === 'people' && row.includes(member_id)))
})
