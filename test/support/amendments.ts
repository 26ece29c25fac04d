import assert from 'node:assert/strict'
import { type AmendmentStatus, amendment_statuses } from '#resources/amendments/amendment.ts'
import type { Case } from '#test/cases.ts'
import { activeContract, workerToken } from '#test/factories.ts'
import type { TestAnswer, TestOrganization, TestService } from '#test/service.ts'

/** Paths and calls around the amendments of one organization, all through the REST API. */
export function amendmentsOf(service: TestService, organization: TestOrganization) {
  const call = (method: string, path: string, body?: unknown, token = organization.token): Promise<TestAnswer> =>
    service.call(method, path, { token, ...(body !== undefined && { body }) })

  const done = async (answer: Promise<TestAnswer>): Promise<TestAnswer['body']> => {
    const { status, body } = await answer
    assert.ok(status === 200 || status === 201, JSON.stringify(body))
    return body
  }

  const path = ({ id, contract_id }: { id: string; contract_id: string }) =>
    `/contracts/${contract_id}/amendments/${id}`

  const draft = (contract: { id: string }, body: object = raise) =>
    done(call('POST', `/contracts/${contract.id}/amendments`, body))
  const signForClient = (amendment: TestAnswer['body']) =>
    done(call('POST', `${path(amendment)}/sign`, { signer_name: 'Nora Adler' }))
  const signForWorker = (amendment: TestAnswer['body']) =>
    done(call('POST', `/sandbox${path(amendment)}/worker-signature`, {}))

  return {
    organization,
    call,
    done,
    path,
    draft,
    signForClient,
    signForWorker,
    get: (amendment: TestAnswer['body']) => done(call('GET', path(amendment))),
    contract: ({ id }: { id: string }) => done(call('GET', `/contracts/${id}`)),
    /** Types of the events since the last look, oldest first, but for those of cycles that the clock went past. */
    events: async () =>
      (await service.takeEvents(organization.id))
        .map(({ event_type }) => event_type)
        .filter((type) => !/^(payment-cycle|invoice)\./.test(type)),

    /** A contract that both parties have signed; `overrides` replace fields of its body. */
    activeContract: (overrides: Record<string, unknown> = {}) => activeContract(service, overrides, organization),

    /** Drafted and signed by both: approved for its date, or active. */
    async agreed(contract: { id: string }, body: object = raise): Promise<TestAnswer['body']> {
      return signForWorker(await signForClient(await draft(contract, body)))
    },

    /** An amendment of the contract in each status of domain rules 3.2. */
    async inStatus(status: AmendmentStatus, contract: { id: string }): Promise<TestAnswer['body']> {
      if (status === 'declined') return done(call('POST', `${path(await draft(contract))}/withdraw`, {}))
      const amendment = await draft(
        contract,
        status === 'approved' ? { ...raise, effective_date: ahead(service, 90) } : raise,
      )
      if (status === 'initial') return amendment
      await signForClient(amendment)
      if (status !== 'pending') await signForWorker(amendment)
      if (status === 'outdated') await this.agreed(contract, { terms: { job_title: 'Lead' } })
      const found = await done(call('GET', path(amendment)))
      assert.equal(found.status, status)
      return found
    },

    /** A token that the client mints for a worker, with its own categories. */
    mint: (person_id: string, token = organization.token) => workerToken(service, person_id, { token }),
  }
}

export type Amendments = ReturnType<typeof amendmentsOf>

export const raise = { terms: { amount: '4500.00' } }

export const day_ms = 86_400_000

/** The date some days from now. */
export function ahead(service: Pick<TestService, 'clock'>, days: number): string {
  return new Date(service.clock.now() + days * day_ms).toISOString().slice(0, 10)
}

/** An amendment in a status, with what names it in a path and a token of its worker. */
export async function amendmentIn(t: TestService, status: AmendmentStatus) {
  const at = amendmentsOf(t, t.organization)
  const contract = await at.activeContract()
  const amendment = await at.inStatus(status, contract)
  const { id: amendment_id, contract_id } = amendment
  return { contract, amendment, amendment_id, contract_id, worker: await at.mint(contract.worker_id) }
}

/** One case for every status an amendment can be in, refused unless it is named; a refusal changes nothing. */
export function eachStatus(
  guarantee: string,
  input: Record<string, unknown>,
  outcomes: Partial<Record<AmendmentStatus, Omit<Case, 'given' | 'afterwards'>>>,
): Record<string, Case> {
  return Object.fromEntries(
    amendment_statuses.map((status) => {
      const outcome: Case = outcomes[status] ?? { answers: '409 invalid_state' }
      return [
        `${guarantee}: ${status}, ${outcome.answers ?? 'done'}`,
        {
          input,
          ...outcome,
          given: (t) => amendmentIn(t, status),
          afterwards: async (t, { given, body, answer }) => {
            const after = await amendmentsOf(t, t.organization).get(given.amendment)
            assert.deepEqual(after, answer.status < 400 ? body : given.amendment)
          },
        } satisfies Case,
      ]
    }),
  )
}
