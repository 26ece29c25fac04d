import assert from 'node:assert/strict'
import type { ReactionContext } from '#core/reaction.ts'
import { newId } from '#core/values.ts'
import { sql } from '#db/database.ts'
import { adjustmentsToPay } from '#resources/invoice-adjustments/index.ts'
import { timesheetsToPay } from '#resources/timesheets/index.ts'
import type { Case } from '#test/cases.ts'
import { type ContractAtHand, contractIn } from '#test/contract-states.ts'
import type { Body } from '#test/factories.ts'
import type { TestService } from '#test/service.ts'

/** The kinds of work items: their path, a body that is accepted as it stands, and the contract that it fits. */
export const kinds = {
  timesheets: {
    one: 'timesheet',
    path: '/timesheets',
    event: 'timesheet',
    to_pay: timesheetsToPay,
    contract: { type: 'pay_as_you_go', compensation: { amount: '45.00', currency: 'EUR', frequency: 'monthly' } },
    body: { start_date: '2026-06-08', end_date: '2026-06-12', quantity: '38.5', description: 'Week 24' },
  },
  invoice_adjustments: {
    one: 'invoice_adjustment',
    path: '/invoice-adjustments',
    event: 'invoice-adjustment',
    to_pay: adjustmentsToPay,
    contract: {},
    body: { type: 'expense', amount: '89.90', description: 'Train', date: '2026-06-12' },
  },
} as const
export type Kind = keyof typeof kinds

/** Begins a week before the clock of the cases, so that there is something to report. */
const start_date = '2026-06-01'

/** An active contract that fits the kind. */
export function contractFor(t: TestService, kind: Kind, overrides: object = {}): Promise<ContractAtHand> {
  return contractIn(t, 'active', { start_date, ...kinds[kind].contract, ...overrides })
}

/** An item entered by the client, or by the worker where its token is given. */
export async function enter(
  t: TestService,
  kind: Kind,
  { contract_id }: { contract_id: string },
  { token, ...body }: { token?: string } & Record<string, unknown> = {},
): Promise<Body> {
  const path = `${token ? '/worker' : ''}${kinds[kind].path}`
  const answer = await t.call('POST', path, {
    ...(token && { token }),
    body: { contract_id, ...kinds[kind].body, ...body },
  })
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body
}

export const work_item_statuses = ['pending', 'approved', 'declined', 'invoiced', 'paid', 'not_payable'] as const
export type WorkItemStatus = (typeof work_item_statuses)[number]

/** Does something within a transaction of the organization, as a timer or an operation of invoicing would. */
export function asInvoicing<Result>(t: TestService, run: (context: Invoicing) => Promise<Result>): Promise<Result> {
  const organization_id = t.organization.id
  return t.database.database.transaction({ role: 'app', organization_id }, async (tx) => {
    const told: Invoicing['told'] = []
    const emit: ReactionContext['emit'] = (type, ...entries) => void told.push([type.type, entries])
    return run({ tx, emit, told, now: tx.now, newId: () => newId(t.clock.now()) })
  })
}
interface Invoicing extends Pick<ReactionContext, 'tx' | 'emit' | 'now' | 'newId'> {
  told: [type: string, entries: Record<string, unknown>[]][]
}

/** An item in a status, with what names it in a path and the tokens of those who may change it. */
export async function workItemIn(
  t: TestService,
  kind: Kind,
  status: WorkItemStatus,
  { by = 'client', ...body }: { by?: 'client' | 'worker' } & Record<string, unknown> = {},
): Promise<Body> {
  const { one, path, to_pay } = kinds[kind]
  const { contract_id, worker_id, worker } = await contractFor(t, kind)
  const token = by === 'worker' ? { token: worker } : { auto_approve: false }
  const { id } = await enter(t, kind, { contract_id }, { ...body, ...token })
  if (status !== 'pending' && status !== 'not_payable') {
    const verdict = { status: status === 'declined' ? status : 'approved' }
    assert.equal((await t.call('POST', `${path}/${id}/review`, { body: verdict })).status, 200)
  }
  if (status === 'invoiced' || status === 'paid')
    await putOnInvoice(t, kind, id, await anInvoice(t, contract_id), status)
  if (status === 'not_payable') {
    await asInvoicing(t, async (context) => to_pay.leaveOver(context, await rowsOf(context, t, kind, id)))
  }
  const item = (await t.call('GET', `${path}/${id}`)).body
  assert.equal(item.status, status)
  return { contract_id, worker_id, worker, [`${one}_id`]: id, id, item }
}

/** A place for items of a contract: an invoice of nothing, and the cycle that they are said to be of. */
export async function anInvoice(t: TestService, contract_id: string) {
  const { organization_id, invoice_id } = { organization_id: t.organization.id, invoice_id: newId(t.clock.now()) }
  return t.database.database.transaction({ role: 'app', organization_id }, async (tx) => {
    await tx.run(sql`
      insert into invoices (organization_id, id, number, contract_id, worker_id, legal_entity_id, status, is_off_cycle,
                            is_overdue, currency, subtotal, taxable_base, reverse_charge, vat_total, total, issue_date,
                            due_date, supplier, customer, created_at, updated_at)
      select ${organization_id}::uuid, ${invoice_id}::uuid, left(${invoice_id}::text, 30), id, worker_id, legal_entity_id,
             'pending', true, false, currency, 0, 0, false, 0, 0, start_date, start_date,
             '{"name": "", "country": "DE", "address": null, "vat_id": null}', '{}', app_now(), app_now()
      from contracts where organization_id = ${organization_id} and id = ${contract_id}`)
    const cycle = await tx.row<{ id: string }>(sql`
      select id from payment_cycles where organization_id = ${organization_id} and contract_id = ${contract_id} limit 1`)
    return { invoice_id, payment_cycle_id: cycle?.id ?? null }
  })
}

/** Puts an approved item on an invoice, which may be paid. */
export function putOnInvoice(
  t: TestService,
  kind: Kind,
  id: string,
  on: Awaited<ReturnType<typeof anInvoice>>,
  status: 'invoiced' | 'paid' = 'invoiced',
): Promise<unknown> {
  const { to_pay } = kinds[kind]
  return asInvoicing(t, async (context) => {
    const [rows] = await to_pay.invoice([{ context, rows: await rowsOf(context, t, kind, id), on }])
    // The cast holds because both are rows of the same kind.
    if (status === 'paid') await to_pay.pay(context, rows as never)
  })
}

/** The row of an item; the cast lets it be handed to what its kind offers. */
export const rowsOf = async ({ tx }: Pick<Invoicing, 'tx'>, { organization }: TestService, kind: Kind, id: string) =>
  (await kinds[kind].to_pay.byIds(tx, organization.id, [id])) as never

/** One case for every status an item can be in, refused unless it is named; a refusal changes nothing. */
export function eachStatusOf(
  kind: Kind,
  guarantee: string,
  input: Record<string, unknown>,
  outcomes: Partial<Record<WorkItemStatus, Omit<Case, 'given' | 'afterwards'>>>,
  entered: Parameters<typeof workItemIn>[3] = {},
): Record<string, Case> {
  return Object.fromEntries(
    work_item_statuses.map((status) => {
      const outcome: Case = outcomes[status] ?? { answers: '409 invalid_state' }
      return [
        `${guarantee}: ${status}, ${outcome.answers ?? 'done'}`,
        {
          input,
          ...outcome,
          given: (t) => workItemIn(t, kind, status, entered),
          afterwards: async (t, { given, body, answer }) => {
            const after = await t.call('GET', `${kinds[kind].path}/${given.id}`)
            if (answer.status === 204) assert.equal(after.status, 404)
            else assert.deepEqual(after.body, answer.status < 400 ? body : given.item)
          },
        } satisfies Case,
      ]
    }),
  )
}
