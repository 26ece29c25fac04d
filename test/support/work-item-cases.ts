import assert from 'node:assert/strict'
import { setTimer } from '#core/jobs/timer.ts'
import { newId } from '#core/values.ts'
import type { Case } from '#test/cases.ts'
import { type ContractState, contractIn, contractStates } from '#test/contract-states.ts'
import { type Body, createContract } from '#test/factories.ts'
import type { TestService } from '#test/service.ts'
import { asInvoicing, contractFor, eachStatusOf, type Kind, kinds, workItemIn } from '#test/work-items.ts'

type Cases = Record<string, Case>

/** Sets the final settlement of an ended contract to be due in `in_ms`, as its end does. */
export function settle(t: TestService, contract_id: string, in_ms: number): Promise<void> {
  const due_at = new Date(t.clock.now() + in_ms).toISOString()
  const timer = { kind: 'final_settlement', priority: 5, subject_id: contract_id, due_at }
  return asInvoicing(t, ({ tx }) => setTimer(tx, { ...timer, organization_id: t.organization.id }))
}

const terminated = async (t: TestService, kind: Kind) => {
  const contract = await contractFor(t, kind)
  await t.call('POST', `/contracts/${contract.id}/terminate`, { body: { type: 'termination' } })
  return contract
}

/** The cases that both kinds of work items have alike, for the operations of the client and of the worker. */
export function workItemCases(kind: Kind) {
  const { event, body, path } = kinds[kind]
  const items = `${event}.created`
  const input = ({ contract_id }: Body) => ({ contract_id, ...body })
  const given = (t: TestService) => contractFor(t, kind)

  /** A contract has work once it was active. */
  const enteredIn = (state: ContractState): Case => ({
    given: (t) => contractIn(t, state, { start_date: '2026-06-01', ...kinds[kind].contract }),
    input,
    ...(/active|terminating|completed|terminated/.test(state) ? { emits: [items] } : { answers: '409 invalid_state' }),
  })

  const entering: Cases = {
    'work of an ended contract is entered until it is settled': {
      given: async (t) => {
        const contract = await terminated(t, kind)
        await settle(t, contract.id, 1)
        return contract
      },
      input,
      emits: [items],
    },
    'a settled contract has no more work': {
      given: async (t) => {
        const contract = await terminated(t, kind)
        await settle(t, contract.id, 0)
        return contract
      },
      input,
      answers: '409 invalid_state',
    },
    ...Object.fromEntries(contractStates.map((state) => [`work of a contract that is ${state}`, enteredIn(state)])),
  }

  return {
    create: {
      'the client’s is approved at once': {
        given,
        input,
        body: ({ worker_id }, made) => ({
          ...{ ...body, status: 'approved', worker_id, invoice_id: null },
          review: { status: 'approved', reason: null, reviewed_by: made.submitted_by, reviewed_at: made.created_at },
        }),
        emits: [items, [`${event}.reviewed`, { status: 'approved', reason: null }]],
      },
      'it waits for a review on request': {
        given,
        input: (at) => ({ ...input(at), auto_approve: false }),
        body: { status: 'pending', review: null },
        emits: [[items, { status: 'pending' }]],
      },
      'an unknown contract is refused': {
        input: { ...body, contract_id: newId(0) },
        answers: '422 reference_not_found',
        errors: ['/contract_id'],
      },
      ...Object.fromEntries(Object.entries(entering).map(([name, row]) => [name, withReview(row, event)])),
    } satisfies Cases,

    worker_create: {
      'the worker’s waits for a review': {
        given,
        input,
        body: ({ worker_id }) => ({
          ...body,
          status: 'pending',
          review: null,
          submitted_by: { kind: 'worker', id: worker_id },
        }),
        emits: [[items, { status: 'pending' }]],
      },
      'a contract of somebody else is refused as a missing one': {
        given: async (t) => ({ ...(await given(t)), other: await createContract(t, kinds[kind].contract) }),
        input: ({ other }) => ({ contract_id: other.id, ...body }),
        answers: '422 reference_not_found',
        errors: ['/contract_id'],
      },
      ...entering,
    } satisfies Cases,

    get: {
      'one is read': { given: (t) => workItemIn(t, kind, 'approved'), body: ({ item }) => item },
      'a deleted one is not': { given: (t) => deleted(t, kind), answers: '404 not_found' },
    } satisfies Cases,

    worker_get: {
      'an own one is read': { given: (t) => workItemIn(t, kind, 'pending'), body: ({ item }) => item },
      'that of somebody else is not found': {
        given: async (t) => ({ ...(await workItemIn(t, kind, 'pending')), worker: (await given(t)).worker }),
        answers: '404 not_found',
      },
    } satisfies Cases,

    list: {
      'deleted ones are left out': {
        given: (t) => deleted(t, kind),
        body: { total_count: 0 },
      },
      'and shown on request, for those who synchronize': {
        given: (t) => deleted(t, kind),
        input: { include_deleted: true },
        body: ({ id }) => ({ total_count: 1, data: [{ id }] }),
      },
      'a filter that names nothing is refused': {
        input: { contract_id: newId(0) },
        answers: '422 reference_not_found',
        errors: ['/contract_id'],
      },
    } satisfies Cases,

    worker_list: {
      'a worker lists its own only': {
        given: async (t) => {
          await workItemIn(t, kind, 'pending')
          return workItemIn(t, kind, 'pending')
        },
        body: ({ id }) => ({ total_count: 1, data: [{ id }] }),
      },
      'a contract of somebody else is refused as a missing one': {
        given: async (t) => ({ ...(await given(t)), other: await createContract(t) }),
        input: ({ other }) => ({ contract_id: other.id }),
        answers: '422 reference_not_found',
        errors: ['/contract_id'],
      },
    } satisfies Cases,

    update: {
      ...eachStatusOf(
        kind,
        'its description changes',
        { description: 'Mended' },
        {
          pending: {
            body: { description: 'Mended' },
            emits: [[`${event}.updated`, { changed_fields: ['description'] }]],
            audit: { changed_fields: ['description'] },
          },
        },
      ),
      ...eachStatusOf(
        kind,
        'its external id changes',
        { external_id: 'two' },
        Object.fromEntries(
          (['pending', 'approved', 'declined', 'invoiced', 'paid', 'not_payable'] as const).map((status) => [
            status,
            {
              body: { external_id: 'two' },
              emits: [[`${event}.updated`, { status, changed_fields: ['external_id'] }]],
            },
          ]),
        ),
      ),
      ...eachStatusOf(
        kind,
        'what it says already changes nothing',
        { description: body.description },
        Object.fromEntries(
          (['pending', 'approved', 'declined', 'invoiced', 'paid', 'not_payable'] as const).map((status) => [
            status,
            { audit: null },
          ]),
        ),
      ),
      'a refusal says by what a mistake is put right': {
        given: (t) => workItemIn(t, kind, 'invoiced'),
        input: { description: 'Mended' },
        answers: '409 invalid_state',
        body: {
          detail:
            'It is invoiced; only a pending one can be changed. An adjustment of the difference puts it right; a deduction takes back.',
        },
      },
      'a settled contract’s changes no more': {
        given: async (t) => {
          const made = await workItemIn(t, kind, 'pending')
          await t.call('POST', `/contracts/${made.contract_id}/terminate`, { body: { type: 'termination' } })
          await settle(t, made.contract_id, 0)
          return made
        },
        input: { description: 'Mended' },
        answers: '409 invalid_state',
      },
    } satisfies Cases,

    worker_update: {
      ...eachStatusOf(
        kind,
        'the worker mends its own',
        { description: 'Mended' },
        { pending: { body: { description: 'Mended' }, emits: [`${event}.updated`] } },
        { by: 'worker' },
      ),
      'what the company entered stays': {
        given: (t) => workItemIn(t, kind, 'pending'),
        input: { description: 'Mended' },
        answers: '409 invalid_state',
        errors: ['/description'],
      },
    } satisfies Cases,

    delete: eachStatusOf(
      kind,
      'it is removed',
      { reason: 'entered twice' },
      Object.fromEntries(
        (['pending', 'approved', 'declined'] as const).map((status) => [
          status,
          { answers: 204, emits: [[`${event}.deleted`, { status, reason: 'entered twice' }]] },
        ]),
      ),
    ) satisfies Cases,

    worker_delete: {
      ...eachStatusOf(
        kind,
        'the worker removes its own',
        {},
        { pending: { answers: 204, emits: [[`${event}.deleted`, { reason: null }]] } },
        { by: 'worker' },
      ),
      'what the company entered stays': { given: (t) => workItemIn(t, kind, 'pending'), answers: '409 invalid_state' },
    } satisfies Cases,

    review: {
      ...eachStatusOf(
        kind,
        'it is approved',
        { status: 'approved' },
        {
          pending: {
            body: { status: 'approved', review: { status: 'approved', reason: null, reviewed_by: { kind: 'token' } } },
            emits: [[`${event}.reviewed`, { status: 'approved', reviewed_by: { kind: 'token' } }]],
          },
        },
      ),
      ...eachStatusOf(
        kind,
        'it is declined',
        { status: 'declined', reason: 'not agreed' },
        {
          pending: {
            body: { status: 'declined', review: { status: 'declined', reason: 'not agreed' } },
            emits: [[`${event}.reviewed`, { status: 'declined', reason: 'not agreed' }]],
          },
        },
      ),
      'that of a settled contract is reviewed no more': {
        given: async (t) => {
          const made = await workItemIn(t, kind, 'pending')
          await t.call('POST', `/contracts/${made.contract_id}/terminate`, { body: { type: 'termination' } })
          await settle(t, made.contract_id, 0)
          return made
        },
        input: { status: 'approved' },
        answers: '409 invalid_state',
      },
    } satisfies Cases,

    review_many: {
      'all are answered in the order of the ids, and told in one event': {
        given: async (t) => ({
          items: [await workItemIn(t, kind, 'pending'), await workItemIn(t, kind, 'pending')].reverse(),
        }),
        input: ({ items }) => ({ ids: items.map(({ id }: Body) => id), status: 'approved' }),
        body: ({ items }) => ({
          data: items.map(({ id }: Body) => ({ id, status: 'approved' })),
          ...{ cursor: null, has_more: false, total_count: 2 },
        }),
        emits: [`${event}.reviewed`],
        audit: { changed_fields: ['status', 'review'] },
      },
      'one that is not pending refuses all, by its place': {
        given: async (t) => ({
          first: await workItemIn(t, kind, 'pending'),
          second: await workItemIn(t, kind, 'declined'),
        }),
        input: ({ first, second }) => ({ ids: [first.id, second.id], status: 'approved' }),
        answers: '409 invalid_state',
        errors: ['/ids/1'],
        afterwards: async (t, { given: { first } }) => {
          assert.deepEqual((await t.call('GET', `${path}/${first.id}`)).body, first.item)
        },
      },
      'a missing one is named by its place': {
        given: (t) => workItemIn(t, kind, 'pending'),
        input: ({ id }) => ({ ids: [id, newId(0)], status: 'approved' }),
        answers: '422 reference_not_found',
        errors: ['/ids/1'],
      },
    } satisfies Cases,
  }
}

function withReview(row: Case, event: string): Case {
  return Array.isArray(row.emits) ? { ...row, emits: [...row.emits, `${event}.reviewed`] } : row
}

async function deleted(t: TestService, kind: Kind): Promise<Body> {
  const made = await workItemIn(t, kind, 'pending')
  assert.equal((await t.call('DELETE', `${kinds[kind].path}/${made.id}`)).status, 204)
  return made
}
