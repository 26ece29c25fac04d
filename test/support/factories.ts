import assert from 'node:assert/strict'
import type { TestOrganization, TestService } from './service.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
type Body = any

let made = 0

/** A contract body that is accepted as it stands: a fixed rate of 4200.00 EUR a month, for a new worker, from today. */
export function contractBody(
  { clock }: Pick<TestService, 'clock'>,
  overrides: Record<string, unknown> = {},
): Record<string, unknown> {
  made += 1
  return {
    type: 'fixed_rate',
    title: 'Platform engineering',
    ...(!('worker_id' in overrides) && {
      worker: { first_name: 'Jonas', last_name: 'Weber', email: `worker-${made}@harbour.example`, country: 'DE' },
    }),
    start_date: new Date(clock.now()).toISOString().slice(0, 10),
    compensation: { amount: '4200.00', currency: 'EUR', frequency: 'monthly' },
    ...overrides,
  }
}

/** A pending contract, made through the API; `overrides` replace fields of the body. */
export async function createContract(
  service: TestService,
  overrides: Record<string, unknown> = {},
  { token }: Partial<TestOrganization> = {},
): Promise<Body> {
  const { status, body } = await service.call('POST', '/contracts', {
    body: contractBody(service, overrides),
    ...(token !== undefined && { token }),
  })
  assert.equal(status, 201, JSON.stringify(body))
  return body
}
