import assert from 'node:assert/strict'
import type { Case } from './cases.ts'
import { type Body, createContract, workerLogin } from './factories.ts'
import type { TestService } from './service.ts'

/** A contract that was brought where it is through the API, and the own login of its worker. */
export interface ContractAtHand {
  id: string
  contract_id: string
  worker_id: string
  /** Token of the worker's own login. */
  worker: string
}

type Step = [path: 'sign' | 'invite' | 'cancel' | 'terminate' | 'worker sign' | 'worker reject', body?: object]

const named = { signer_name: 'Someone Named', terms_version: 1 }
const bothSign: Step[] = [
  ['sign', named],
  ['worker sign', named],
]

/** Every situation of a contract that an operation can meet, and the way there. */
const ways = {
  pending: [],
  client_signed: [['sign', named]],
  worker_signed: [['worker sign', named]],
  invited: [['invite', {}]],
  active: bothSign,
  terminating: [...bothSign, ['terminate', { type: 'resignation', completion_date: '2026-12-01' }]],
  completed: [...bothSign, ['terminate', { type: 'end_of_contract' }]],
  terminated: [...bothSign, ['terminate', { type: 'termination', reason: 'project stopped' }]],
  cancelled: [['cancel', {}]],
  rejected: [['worker reject', {}]],
} as const satisfies Record<string, readonly Step[]>

export type ContractState = keyof typeof ways
export const contractStates = Object.keys(ways) as ContractState[]

/** The clock of the tests that use these states: `terminating` names a date after it. */
export const clock_start = '2026-06-15T09:00:00.000Z'

export async function contractIn(
  service: TestService,
  state: ContractState,
  overrides: Record<string, unknown> = {},
): Promise<ContractAtHand> {
  const { id, worker_id } = await createContract(service, overrides)
  const worker = await workerLogin(service, worker_id)
  for (const [step, body] of ways[state] as readonly Step[]) {
    const { path, token } = addressOf(step, id, worker)
    const answer = await service.call('POST', path, { ...(token && { token }), body: body ?? {} })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
  }
  return { id, contract_id: id, worker_id, worker }
}

function addressOf(step: Step[0], id: string, worker: string): { path: string; token?: string } {
  if (step === 'worker sign') return { path: `/worker/contracts/${id}/sign`, token: worker }
  if (step === 'worker reject') return { path: `/worker/contracts/${id}/reject`, token: worker }
  return { path: `/contracts/${id}/${step}` }
}

async function read(service: TestService, id: string): Promise<Body> {
  return (await service.call('GET', `/contracts/${id}`)).body
}

/**
 * One case for every state a contract can be in. The status of the answer is that of the contract as it is read
 * afterwards; a refusal changes nothing.
 */
export function eachState(
  guarantee: string,
  outcomes: Record<ContractState, Omit<Case, 'given' | 'afterwards'>>,
  input: Record<string, unknown> = {},
): Record<string, Case> {
  return Object.fromEntries(
    contractStates.map((state) => {
      const { answers = 'done' } = outcomes[state]
      return [
        `${guarantee}: ${state}, ${answers}`,
        {
          input,
          ...outcomes[state],
          given: async (t) => {
            const contract = await contractIn(t, state)
            return { ...contract, contract_id: contract.id, before: await read(t, contract.id) }
          },
          afterwards: async (t, { given: { id, before }, body, answer }) => {
            const after = await read(t, id)
            assert.deepEqual(after, answer.status < 400 ? body : before)
            if (answer.status < 400) assert.ok(after.updated_at > before.updated_at, 'updated_at moves')
          },
        } satisfies Case,
      ]
    }),
  )
}
