import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '#core/values.ts'
import { type Sql, sql } from '#db/database.ts'
import { cases, serviceOfCases } from '#test/cases.ts'
import {
  activeContract,
  addMember,
  type Body,
  createContract,
  createPerson,
  insertNamed,
  memberToken,
  workerLogin,
  workerToken,
} from '#test/factories.ts'
import { inOrganization, type TestService } from '#test/service.ts'
import { makePolicy, requestTimeOff } from '#test/time-off.ts'

const nowhere = '019b8d2b-8c00-7a10-8c02-61f0d4b7a9e3'
const ada = { first_name: 'Ada', last_name: 'Lindqvist', email: 'ada@harbour.example' }
const home_address = { line_1: 'Uferstraße 8', city: 'Berlin', country: 'DE' }
const emergency_contact = { name: 'Lena Weber', phone: '+49305550101' }
const everything = {
  ...{ ...ada, preferred_name: 'Addie', personal_email: 'ada@home.example', phone: '+49301234567', locale: 'de' },
  ...{ external_id: 'ada', country: 'DE', region: 'BE', timezone: 'Europe/Berlin', home_address, emergency_contact },
  ...{ date_of_birth: '1990-02-28', nationality: 'SE', vat_id: 'DE123', worker_type: 'employee' },
  ...{ government_ids: [{ type: 'passport', country: 'SE', number: 'L01X00T47' }] },
  ...{ job_title: 'Engineer', seniority: 'Senior', start_date: '2026-01-15' },
}

const read = async (t: TestService, id: string): Promise<Body> => (await t.call('GET', `/people/${id}`)).body
const refused = (what: object) => ({ input: { ...ada, ...what }, answers: '400 validation_failed' }) as const

cases('people.create', {
  'a person needs names and an e-mail address; the rest has its defaults': {
    input: ada,
    body: {
      ...{
        ...ada,
        full_name: 'Ada Lindqvist',
        status: 'active',
        access: 'none',
        locale: 'en',
        worker_type: 'contractor',
      },
      ...{ teams: [], government_ids: [], custom_fields: {}, is_manager: false, manager: null, home_address: null },
    },
    emits: [['person.created', { email: 'ada@harbour.example', full_name: 'Ada Lindqvist', status: 'active' }]],
    audit: { subject_kind: 'people' },
    afterwards: async (t, { body }) => assert.deepEqual(await read(t, body.id), body),
  },
  'everything that can be given is kept as it was given': {
    input: everything,
    body: {
      ...everything,
      full_name: 'Addie Lindqvist',
      home_address: { ...home_address, line_2: null, region: null },
    },
    emits: ['person.created'],
    afterwards: async (t, { body }) => {
      assert.deepEqual(await read(t, body.id), body)
      for (const search of ['addie', 'lindq', 'ada@harb', 'ADA'])
        assert.equal((await t.call('GET', '/people', { query: { search } })).body.total_count, 1, search)
    },
  },
  'a person is placed below a manager and in teams, whose counts follow': {
    given: async (t) => ({ manager: await createPerson(t), team: await insertNamed(t, 'teams', 'Platform') }),
    input: ({ manager, team }) => ({ ...ada, manager_id: manager.id, team_ids: [team, team] }),
    body: ({ manager, team }) => ({
      manager: { id: manager.id, name: 'Ada Lindqvist' },
      teams: [{ id: team, name: 'Platform' }],
    }),
    emits: ['person.created'],
    afterwards: async (t, { given }) => {
      assert.partialDeepStrictEqual(await read(t, given.manager.id), { is_manager: true, direct_reports_count: 1 })
      assert.equal((await t.call('GET', `/teams/${given.team}`)).body.member_count, 1)
    },
  },
  'an e-mail address is used once, in whatever case': {
    given: (t) => createPerson(t, ada),
    input: { ...ada, email: 'ADA@harbour.example' },
    answers: '409 email_in_use',
    errors: ['/email'],
  },
  'that of a worker of a contract too': {
    given: (t) => createContract(t, { worker: { ...ada, country: 'DE' } }),
    input: ada,
    answers: '409 email_in_use',
  },
  'that of a deleted person is free': {
    given: async (t) => t.call('DELETE', `/people/${(await createPerson(t, { ...ada, external_id: 'ada' })).id}`),
    input: { ...ada, external_id: 'ada' },
    emits: ['person.created'],
  },
  'every team has to be there': {
    given: async (t) => ({ team: await insertNamed(t, 'teams', 'Platform') }),
    input: ({ team }) => ({ ...ada, team_ids: [team, nowhere] }),
    answers: '422 reference_not_found',
    errors: ['/team_ids/1'],
  },
  'a deleted manager is none': {
    given: async (t) => {
      const manager = await createPerson(t)
      await t.call('DELETE', `/people/${manager.id}`)
      return manager
    },
    input: ({ id }) => ({ ...ada, manager_id: id }),
    answers: '422 reference_not_found',
    errors: ['/manager_id'],
  },
  'no e-mail address is refused': refused({ email: null }),
  'a phone number is written by E.164': { ...refused({ phone: '+49 30 123' }), errors: ['/phone'] },
  'an emergency contact has a number that can be called': {
    ...refused({ emergency_contact: { ...emergency_contact, phone: '0305550101' } }),
    errors: ['/emergency_contact/phone'],
  },
  'ten government ids are enough': refused({ government_ids: Array(11).fill(everything.government_ids[0]) }),
  'fifty teams are enough': refused({ team_ids: Array.from({ length: 51 }, () => newId(0)) }),
  'the status is not the caller’s to set': refused({ status: 'inactive' }),
  'nor is the bank account': refused({ bank_account: null }),
  'a finance role may not': { as: 'finance', input: ada, answers: '403 insufficient_scope' },
})

const addressed = (t: TestService) => createPerson(t, { ...everything })

cases('people.update', {
  'fields change, and the name that follows from them': {
    given: addressed,
    input: { last_name: 'Weber', preferred_name: null, job_title: 'Lead' },
    body: { full_name: 'Ada Weber', job_title: 'Lead', email: ada.email },
    emits: [
      ['person.updated', { full_name: 'Ada Weber', changed_fields: ['last_name', 'preferred_name', 'job_title'] }],
    ],
    audit: { changed_fields: ['last_name', 'preferred_name', 'job_title'] },
    afterwards: async (t, { given, body }) => {
      assert.deepEqual(await read(t, given.id), body)
      const found = await t.call('GET', '/people', { query: { search: 'weber' } })
      assert.equal(found.body.total_count, 1)
    },
  },
  'equal values change nothing': {
    given: addressed,
    input: {
      first_name: 'Ada',
      home_address,
      emergency_contact,
      government_ids: everything.government_ids,
      team_ids: [],
    },
    audit: null,
  },
  'an object is merged field by field': {
    given: addressed,
    input: { home_address: { line_2: 'Hof', postal_code: '13347' }, emergency_contact: { relation: 'sister' } },
    body: {
      home_address: { ...home_address, line_2: 'Hof', postal_code: '13347', region: null },
      emergency_contact: { ...emergency_contact, relation: 'sister' },
    },
    emits: [['person.updated', { changed_fields: ['home_address', 'emergency_contact'] }]],
  },
  'an object that was not there is given whole': {
    given: (t) => createPerson(t),
    input: { home_address: { city: 'Berlin' } },
    answers: '400 validation_failed',
    errors: ['/home_address/line_1', '/home_address/country'],
  },
  'lists are replaced': {
    given: async (t) => {
      const [first, second] = [await insertNamed(t, 'teams', 'A'), await insertNamed(t, 'teams', 'B')]
      return { ...(await createPerson(t, { ...everything, team_ids: [first] })), first, second }
    },
    input: ({ second }) => ({ team_ids: [second], government_ids: [] }),
    body: ({ second }) => ({ teams: [{ id: second, name: 'B' }], government_ids: [] }),
    emits: [['person.updated', { changed_fields: ['government_ids', 'teams'] }]],
    afterwards: async (t, { given }) => {
      const counts = [given.first, given.second].map(
        async (id) => (await t.call('GET', `/teams/${id}`)).body.member_count,
      )
      assert.deepEqual(await Promise.all(counts), [0, 1])
    },
  },
  'whoever may not see a field may write it, and is not told whether that changed it': {
    as: 'client without sensitive data',
    given: addressed,
    input: { phone: everything.phone, home_address },
    body: { phone: null, home_address: null },
    emits: [['person.updated', { changed_fields: ['phone', 'home_address'] }]],
  },
  'nor whether there is something to merge a part into': {
    as: 'client without sensitive data',
    given: addressed,
    input: { home_address: { city: 'Bonn' } },
    answers: '403 sensitive_data_required',
  },
  'a new e-mail address is that of the contracts too': {
    given: (t) => createContract(t),
    input: ({ worker_id }) => ({ person_id: worker_id, email: 'new@harbour.example' }),
    emits: ['person.updated'],
    afterwards: async (t, { given }) => {
      assert.equal((await t.call('GET', `/contracts/${given.id}`)).body.worker_email, 'new@harbour.example')
    },
  },
  'none is no e-mail address': { given: addressed, input: { email: null }, answers: '400 validation_failed' },
  'nobody is the manager of itself': {
    given: (t) => createPerson(t),
    input: ({ id }) => ({ manager_id: id }),
    answers: '422 hierarchy_cycle',
    errors: ['/manager_id'],
  },
  'nor of those above': {
    given: async (t) => {
      const top = await createPerson(t)
      const middle = await createPerson(t, { manager_id: top.id })
      return { ...top, below: await createPerson(t, { manager_id: middle.id }) }
    },
    input: ({ below }) => ({ manager_id: below.id }),
    answers: '422 hierarchy_cycle',
  },
  'an unknown manager is none': {
    given: (t) => createPerson(t),
    input: { manager_id: nowhere },
    answers: '422 reference_not_found',
  },
})

/** The one owner of the organization, who is one of its people too. */
async function ownerAsPerson(t: TestService): Promise<Body> {
  const { member_id } = await addMember(t, 'owner')
  const made = await createPerson(t)
  await t.database.database.transaction({ role: 'owner', organization_id: t.organization.id }, (tx) =>
    tx.run(sql`update people set user_id = ${member_id}, access = 'enabled' where id = ${made.id}`),
  )
  return made
}

cases('people.delete', {
  'a person is deleted, is found no more, and leaves its teams': {
    given: async (t) => {
      const team = await insertNamed(t, 'teams', 'Platform')
      return { ...(await createPerson(t, { team_ids: [team] })), team }
    },
    emits: ({ id }) => [['person.deleted', { person_id: id, access: 'none' }]],
    afterwards: async (t, { given }) => {
      assert.equal((await t.call('GET', `/people/${given.id}`)).status, 404)
      assert.equal((await t.call('GET', `/teams/${given.team}`)).body.member_count, 0)
      const { body } = await t.call('GET', '/people', { query: { include_deleted: true } })
      assert.partialDeepStrictEqual(body.data, [{ id: given.id, teams: [] }])
      assert.ok(body.data[0].deleted_at !== null && body.data[0].updated_at > given.updated_at)
    },
  },
  ...Object.fromEntries(
    Object.entries({ pending: createContract, active: activeContract }).map(([status, make]) => [
      `a ${status} contract keeps its worker`,
      {
        given: async (t: TestService) => ({ person_id: (await make(t)).worker_id }),
        answers: '409 has_dependents' as const,
      },
    ]),
  ),
  'time off ahead is cancelled': {
    given: async (t) => {
      const { id: person_id } = await createPerson(t)
      const { id: time_off_id } = await requestTimeOff(t, { person_id, policy_id: (await makePolicy(t)).id })
      return { person_id, time_off_id }
    },
    emits: ['time-off.cancelled', 'person.deleted'],
    afterwards: async (t, { given }) => {
      const { body } = await t.call('GET', `/time-offs/${given.time_off_id}`)
      assert.deepEqual([body.status, body.cancel_reason], ['cancelled', 'person_left'])
    },
  },
  'an ended one does not': {
    given: async (t) => {
      const { id, worker_id } = await createContract(t)
      await t.call('POST', `/contracts/${id}/cancel`)
      return { person_id: worker_id }
    },
    emits: ['person.deleted'],
  },
  'reports keep their manager': {
    given: async (t) => {
      const manager = await createPerson(t)
      await createPerson(t, { manager_id: manager.id })
      return manager
    },
    answers: '409 has_dependents',
  },
  'deleted reports do not': {
    given: async (t) => {
      const manager = await createPerson(t)
      const report = await createPerson(t, { manager_id: manager.id })
      await t.call('DELETE', `/people/${report.id}`)
      return manager
    },
    emits: ['person.deleted'],
  },
  'the access of a person ends with all that acts for it or for the account behind it': {
    given: linked,
    emits: ({ id }) => [['person.deleted', { person_id: id, access: 'disabled' }], ...ended(id)],
    afterwards: (t, { given }) => nothingActsFor(t, given),
  },
  'the last owner who can sign in stays': { given: ownerAsPerson, answers: '409 last_owner' },
})

cases('people.block_access', {
  'the last owner who can sign in is not blocked': { given: ownerAsPerson, answers: '409 last_owner' },
  'all that acts for the person ends, and the person stays': {
    given: linked,
    body: { access: 'disabled' },
    emits: ({ id }) => ended(id),
    audit: { changed_fields: ['access'] },
    afterwards: async (t, { given }) => {
      await nothingActsFor(t, given)
      assert.equal((await read(t, given.id)).access, 'disabled')
    },
  },
  'without access there is nothing to block': { given: (t) => createPerson(t), answers: '409 invalid_state' },
  'a finance role blocks nobody': { as: 'finance', given: linked, answers: '403 insufficient_scope' },
})

/** A person with access, and whatever acts for it: a login, a token, and the account behind it. */
async function linked(t: TestService): Promise<Body> {
  const person = await createPerson(t)
  const other = await createPerson(t)
  const user = await memberToken(t, 'viewer')
  const [own, minted] = [await workerLogin(t, person.id), await workerToken(t, person.id)]
  await link(t, person.id)
  return { ...person, tokens: [own, minted, user], theirs: await workerToken(t, other.id) }
}

const ended = (person_id: string) =>
  [
    ['user.deprovisioned', { person_id, access: 'disabled' }],
    'api-token.revoked',
    'api-token.revoked',
    ['oauth-grant.revoked', { person_id }],
  ] as const

async function nothingActsFor(t: TestService, { tokens, theirs }: Body): Promise<void> {
  for (const token of [...tokens, theirs]) {
    const path = token === tokens[2] ? '/people' : '/worker/me'
    assert.equal((await t.call('GET', path, { token })).status, token === theirs ? 200 : 401)
  }
  assert.deepEqual(await sessions(t), [])
}

const write = (t: TestService, statement: Sql) =>
  t.database.database.transaction({ role: 'owner', organization_id: t.organization.id }, (tx) =>
    tx.rows<Body>(statement),
  )

const sessions = (t: TestService) =>
  write(
    t,
    sql`select s.id from sessions s join people p on p.user_id = s.user_id where p.organization_id = ${t.organization.id}`,
  )

/** Links a person to the one account that has a personal token, as accepting an invitation will, with access and a session. */
async function link(t: TestService, person_id: string): Promise<void> {
  const own = sql`where organization_id = ${t.organization.id}`
  await write(
    t,
    sql`update people set access = 'enabled', user_id = (select user_id from access_tokens ${own} and kind = 'personal')
      ${own} and id = ${person_id}`,
  )
  await write(
    t,
    sql`
      insert into sessions (id, digest, user_id, created_at, authenticated_at, last_seen_at, expires_at)
      select ${newId(0)}, ${Buffer.from(person_id)}, user_id, app_now(), app_now(), app_now(), app_now() + interval '1 day'
      from people ${own} and id = ${person_id}`,
  )
  assert.equal((await sessions(t)).length, 1)
}

test('of two who make each other their manager at once, one is refused', async () => {
  const service = await serviceOfCases()
  const t = inOrganization(service, await service.createOrganization())
  for (let round = 0; round < 5; round += 1) {
    const [a, b] = [await createPerson(t), await createPerson(t)]
    const set = (id: string, manager_id: string) => t.call('PATCH', `/people/${id}`, { body: { manager_id } })
    const answers = await Promise.all([set(a.id, b.id), set(b.id, a.id)])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 422])
  }
})

test('a manager who is deleted while a report comes either keeps it or refuses it', async () => {
  const service = await serviceOfCases()
  const t = inOrganization(service, await service.createOrganization())
  for (let round = 0; round < 5; round += 1) {
    const [manager, report] = [await createPerson(t), await createPerson(t)]
    const [removed, placed] = await Promise.all([
      t.call('DELETE', `/people/${manager.id}`),
      t.call('PATCH', `/people/${report.id}`, { body: { manager_id: manager.id } }),
    ])
    assert.ok(
      ['204 422', '409 200'].includes(`${removed.status} ${placed.status}`),
      `${removed.status} ${placed.status}`,
    )
  }
})
