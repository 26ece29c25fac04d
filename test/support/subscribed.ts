import assert from 'node:assert/strict'
import type { Case } from '#test/cases.ts'
import type { Body } from '#test/factories.ts'
import type { TestService } from '#test/service.ts'

/** Makes, for a table of cases, a subscription that nothing is sent to: its port answers nobody. */
export const subscribed =
  (fields: Record<string, unknown> = {}) =>
  async (t: TestService): Promise<Body> => {
    const body = { url: 'https://127.0.0.1:8444/hook', events: ['api-token.created'], ...fields }
    const made = await t.call('POST', '/webhooks', { body })
    if (made.status !== 201) throw new Error(`not subscribed: ${made.status} ${JSON.stringify(made.body)}`)
    return { ...made.body, webhook_id: made.body.id }
  }

const invalid = '400 validation_failed'
const types = (count: number) => Array.from({ length: count }, (_, n) => `type.${n}`)

const refused: [name: string, input: Record<string, unknown>, answers: Case['answers']][] = [
  ['an empty list of events', { events: [] }, invalid],
  ['201 events', { events: types(201) }, invalid],
  ['10,000 events', { events: types(10_000) }, invalid],
  ['an unknown event type', { events: ['contract.exploded'] }, '422 unknown_event_type'],
  ['a wildcard', { events: ['*'] }, '422 unknown_event_type'],
  ['an unknown field', { retries: 3 }, invalid],
  ['a description of 501 characters', { description: 'x'.repeat(501) }, invalid],
  ['a description of two lines', { description: 'a\nb' }, invalid],
  ['a name of 101 characters', { name: 'x'.repeat(101) }, invalid],
  ['a name with a line break', { name: 'a\nb' }, invalid],
  ['a url of 2,049 bytes', { url: `https://93.184.215.14/?${'x'.repeat(2_049 - 23)}` }, invalid],
  ['http', { url: 'http://93.184.215.14/' }, '422 url_not_https'],
  ['a private address', { url: 'https://10.0.0.1/' }, '422 url_address_forbidden'],
  ['a metadata address', { url: 'https://169.254.169.254/' }, '422 url_address_forbidden'],
  ['an IPv4-mapped address', { url: 'https://[::ffff:10.0.0.1]/' }, '422 url_address_forbidden'],
  ['credentials', { url: 'https://user:pw@93.184.215.14/' }, '422 url_credentials'],
  ['a fragment', { url: 'https://93.184.215.14/hook#x' }, '422 url_fragment'],
  ['a forbidden port', { url: 'https://93.184.215.14:22/' }, '422 url_port_forbidden'],
  ['an internal name', { url: 'https://metadata.internal/' }, '422 url_host_forbidden'],
  ['our own host', { url: 'https://stint.test/' }, '422 url_own_host'],
  ['a line feed', { url: 'https://12\n7.0.0.1/' }, '422 url_invalid'],
]

/** A refusal leaves the subscriptions as they were. */
async function assertUnchanged(t: TestService, { given }: { given: Body }): Promise<void> {
  const { webhook_id, signing_key: _, ...shown } = given
  assert.deepEqual((await t.call('GET', '/webhooks')).body.data, webhook_id ? [shown] : [])
}

/** Cases of what is refused of a receiver and its event types, when creating and when changing. */
export function refusedReceivers(
  inputOf: (input: Record<string, unknown>) => Record<string, unknown>,
  given?: Case['given'],
): Record<string, Case> {
  const rows = refused.map(([name, input, answers]): [string, Case] => [
    `${name} is refused with ${String(answers).slice(4)}`,
    { input: inputOf(input), ...(answers && { answers }), ...(given && { given }), afterwards: assertUnchanged },
  ])
  return Object.fromEntries(rows)
}
