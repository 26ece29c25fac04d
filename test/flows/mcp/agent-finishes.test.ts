import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Body, workerLogin } from '#test/factories.ts'
import { startTestService, type TestService } from '#test/service.ts'
import { callConfirmed, callTool, createMember, post, request } from '#test/tool-client.ts'

let service: TestService
let company: string
before(async () => {
  service = await startTestService()
  company = (await createMember(service)).token
})
after(() => service.close())

/** Calls a tool that must do its work. */
async function done(token: string, name: string, args: object): Promise<Body> {
  const { isError, content, structuredContent } = await callConfirmed(service, token, name, args)
  assert.equal(isError, undefined, `${name}: ${JSON.stringify(content)}`)
  return structuredContent
}

/** The call that a tool shows as its example. */
async function exampleOf(name: string): Promise<Body> {
  const { body } = await post(service, request('tools/list'))
  const { description } = body.result.tools.find((tool: { name: string }) => tool.name === name)
  return JSON.parse(/ Example: (\{.*\})$/.exec(description)?.[1] ?? '')
}

const signed = { signer_name: 'Ada Client' }

/** A contract as the example of its tool has it, signed by the company, and the credential of its worker. */
async function contractWithWorker() {
  const { id: contract_id, worker_id } = await done(company, 'create_contract', await exampleOf('create_contract'))
  const worker = await workerLogin(service, worker_id, service.organization.id, 'mcp')
  return { contract_id, worker }
}

test('an agent brings a contract from its draft to its end, and the worker’s agent signs', async () => {
  const { contract_id, worker } = await contractWithWorker()
  const changed = await done(company, 'update_contract', { contract_id, compensation: { amount: '4300.00' } })
  assert.equal(changed.compensation.amount, '4300.00')
  const { terms_version } = await done(company, 'get_contract', { contract_id })
  assert.equal((await done(company, 'sign_contract', { contract_id, terms_version, ...signed })).status, 'pending')
  await done(company, 'invite_worker', { contract_id })

  const [own] = (await done(worker, 'list_my_contracts', {})).data
  assert.equal(own.id, contract_id)
  const read = { contract_id: own.id, terms_version: own.terms_version, signer_name: 'Ana Silva' }
  assert.equal((await done(worker, 'sign_my_contract', read)).status, 'active')

  const first_day = { completion_date: own.start_date }
  const ending = await done(company, 'terminate_contract', { contract_id, type: 'termination', ...first_day })
  assert.equal(ending.termination.completion_date, own.start_date)
})

test('an agent brings an amendment from its draft to the signatures of both, and the worker’s agent signs', async () => {
  const { contract_id, worker } = await contractWithWorker()
  await done(company, 'sign_contract', { contract_id, ...signed })
  await done(worker, 'sign_my_contract', { contract_id, terms_version: 1, signer_name: 'Ana Silva' })
  const example = await exampleOf('create_contract_amendment')
  const draft = await done(company, 'create_contract_amendment', { ...example, contract_id })
  const path = { contract_id, amendment_id: draft.id }
  await done(company, 'update_contract_amendment', { ...path, effective_date: null, terms: { job_title: 'Lead' } })
  assert.deepEqual((await done(worker, 'list_my_amendments', { contract_id })).data, [])
  await done(company, 'sign_contract_amendment', { ...path, ...signed })

  const [offered] = (await done(worker, 'list_my_amendments', { contract_id })).data
  const read = { contract_id, amendment_id: offered.id, terms_version: offered.terms_version }
  const agreed = await done(worker, 'sign_my_amendment', { ...read, signer_name: 'Ana Silva' })
  assert.deepEqual([agreed.status, agreed.terms], ['approved', { job_title: 'Lead' }])
})

test('an agent takes back what it began: a pending contract, and a draft of an amendment', async () => {
  const pending = await contractWithWorker()
  const { contract_id } = pending
  assert.equal((await done(company, 'cancel_contract', { contract_id, reason: 'No budget' })).status, 'cancelled')

  const active = await contractWithWorker()
  const { contract_id: other } = active
  await done(company, 'sign_contract', { contract_id: other, ...signed })
  await done(active.worker, 'sign_my_contract', { contract_id: other, terms_version: 1, signer_name: 'Ana Silva' })
  const { id } = await done(company, 'create_contract_amendment', { contract_id: other, terms: { amount: '4500.00' } })
  const withdrawn = await done(company, 'withdraw_contract_amendment', { contract_id: other, amendment_id: id })
  assert.equal(withdrawn.status, 'declined')
})

test('what signs or ends waits for a confirmation: nothing happens before, and nothing else than was told after', async () => {
  const { contract_id } = await contractWithWorker()
  const cancel = (args: object) => callTool(service, company, 'cancel_contract', { contract_id, ...args })
  const asked = await cancel({})
  assert.equal(asked.isError, true)
  // Both the effects and the terms are there to be shown to the user.
  assert.match(
    asked.content[0].text,
    /^confirmation_required: nothing was done yet.*"contract.cancelled".*\n.*"amount":"4/,
  )
  const told = await cancel({ dry_run: true })
  assert.deepEqual([told.isError, told.structuredContent.status], [undefined, 'cancelled'])
  assert.equal((await done(company, 'get_contract', { contract_id })).status, 'pending')

  const { digest } = told.structuredContent.dry_run
  const other = await cancel({ reason: 'Not what was told', confirm: digest })
  assert.match(other.content[0].text, /^confirmation_outdated/)
  assert.equal((await cancel({ confirm: digest })).structuredContent.status, 'cancelled')
  assert.match((await cancel({ confirm: 'guessed' })).content[0].text, /\n\/confirm: must be the digest of a dry run/)
  assert.match((await cancel({ dry_run: 'yes' })).content[0].text, /\n\/dry_run: must be true or false/)
})
