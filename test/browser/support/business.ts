import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { activeContract, type Body, createContract, createPerson } from '#test/factories.ts'
import { type Developer, useDeveloper } from './developer.ts'

type Fields = Record<string, unknown>

const day_ms = 86_400_000

/** A service with a sandbox organization, as its own programs use it; everything is made through the API. */
export interface Business extends Developer {
  /** A business date, so many days after the day on which the test began. */
  day(days: number): string
  /** Moves the test clock, by a duration such as `P1M` or to a time; all that falls due happens. */
  advance(way: { by: string } | { to: string }): Promise<void>
  /** Makes a call that has to succeed, and answers its body. */
  done(method: string, path: string, body?: object): Promise<Body>
  person(fields?: Fields): Promise<Body>
  /** A contract that waits for its signatures. */
  pendingContract(fields?: Fields): Promise<Body>
  /** A contract that both have signed; 4200.00 EUR a month since 40 days unless the fields say otherwise. */
  contract(fields?: Fields): Promise<Body>
  /** A contract that is paid by what is reported: 45.00 EUR an hour. */
  hourlyContract(fields?: Fields): Promise<Body>
  /** Hours of last week on such a contract. */
  timesheet(contract: Body, fields?: Fields): Promise<Body>
  /** An expense of 89.90. */
  adjustment(contract: Body, fields?: Fields): Promise<Body>
}

const began_days_ago = 40

/** Shared by the tests of one file. */
export function useBusiness(): { start(t: TestContext): Promise<Business> } {
  const developer = useDeveloper()
  return {
    async start(t) {
      const console = await developer.start(t, { is_sandbox: true })
      const began_ms = console.clock.now()
      const day = (days: number) => new Date(began_ms + days * day_ms).toISOString().slice(0, 10)
      const done: Business['done'] = async (method, path, body) => {
        const answer = await console.call(method, path, { ...(body && { body }) })
        assert.ok(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer.body)}`)
        return answer.body
      }
      const start_date = day(-began_days_ago)
      const contract: Business['contract'] = (fields) =>
        activeContract(console, { start_date, ...fields }, console.organization)
      return {
        ...{ ...console, day, done, contract },
        advance: async (way) => void (await done('POST', '/sandbox/clock/advance', way)),
        person: (fields) => createPerson(console, fields),
        pendingContract: (fields) => createContract(console, { start_date, ...fields }),
        hourlyContract: (fields) =>
          contract({
            type: 'pay_as_you_go',
            compensation: { amount: '45.00', currency: 'EUR', frequency: 'monthly', scale: 'hourly' },
            ...fields,
          }),
        timesheet: ({ id: contract_id }, fields) =>
          done('POST', '/timesheets', {
            ...{ contract_id, start_date: day(-7), end_date: day(-3), quantity: '38.5', description: 'Last week' },
            ...fields,
          }),
        adjustment: ({ id: contract_id }, fields) =>
          done('POST', '/invoice-adjustments', {
            ...{ contract_id, type: 'expense', amount: '89.90', description: 'Train', date: day(-3) },
            ...fields,
          }),
      }
    },
  }
}
