import assert from 'node:assert/strict'
import type { TimeOffStatus } from '#resources/time-offs/time-off.ts'
import { type Body, createContract, workerLogin } from './factories.ts'
import type { TestService } from './service.ts'

/** Calls that make what time off needs; the answer is the body. */
export async function done(t: TestService, path: string, body: object = {}, token = t.organization.token) {
  const answer = await t.call('POST', path, { body, token })
  assert.ok(answer.status < 300, `${path}: ${JSON.stringify(answer.body)}`)
  return answer.body
}

/** Thirty working days of vacation a year, unless fields say otherwise. */
export function makePolicy(t: TestService, fields: object = {}, token?: string): Promise<Body> {
  const usual = { name: `Vacation ${crypto.randomUUID()}`, leave_type: 'vacation', annual_allowance_days: '30' }
  return done(t, '/time-off-policies', { ...usual, ...fields }, token)
}

/** A person and a policy to ask under. */
export async function personAndPolicy(t: TestService, policy: object = {}, token?: string) {
  const organization = token === undefined ? {} : { token }
  const { worker_id: person_id, id: contract_id } = await createContract(t, {}, organization)
  return { contract_id, person_id, policy_id: (await makePolicy(t, policy, token)).id }
}

/** Monday to Friday of a week that has not begun on the day of the cases. */
export const week = { start_date: '2026-08-03', end_date: '2026-08-07' }

/** A request for a week off by a new person, unless fields name another one. */
export async function requestTimeOff(t: TestService, fields: Body = {}, token?: string): Promise<Body> {
  const { contract_id: _, person_id, policy_id, ...rest } = fields
  const own = person_id && policy_id ? { person_id, policy_id } : await personAndPolicy(t, {}, token)
  const body = { ...week, person_id: own.person_id, policy_id: own.policy_id, ...rest }
  return { ...(await done(t, '/time-offs', body, token)), policy_id: own.policy_id }
}

/** Time off that was brought where it is through the API, with the own login of its person. */
export async function timeOffIn(t: TestService, status: TimeOffStatus, fields: object = {}): Promise<Body> {
  const { id, person_id, policy_id } = await requestTimeOff(t, fields)
  const decision = { approved: 'approved', used: 'approved', rejected: 'rejected' }[status as string]
  if (decision) await done(t, `/time-offs/${id}/review`, { status: decision })
  if (status === 'cancelled') await done(t, `/time-offs/${id}/cancel`)
  if (status === 'used') {
    await t.clock.set('2026-08-08T12:00:00.000Z')
    await t.timers.runDue()
  }
  const { body } = await t.call('GET', `/time-offs/${id}`)
  assert.equal(body.status, status)
  return { ...body, time_off_id: id, policy_id, worker: await workerLogin(t, person_id) }
}
