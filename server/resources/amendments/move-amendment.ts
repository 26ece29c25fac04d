import type { Static, TObject, TProperties } from 'typebox'
import type { EventType, Operation } from '#core/operation.ts'
import type { ProblemType } from '#core/problems.ts'
import type { ReactionContext } from '#core/reaction.ts'
import { Closed } from '#core/schema/schema.ts'
import type { ContractRow } from '#resources/contracts/index.ts'
import { type Audience, openTo, ownRows } from '#resources/people/index.ts'
import { lockAmendment } from './amendment.store.ts'
import { AmendmentPath, type AmendmentRow, amendment } from './amendment.ts'
import { tellMove } from './events.ts'

interface Move<Input extends TProperties> extends Pick<Operation, 'id' | 'summary' | 'description' | 'path' | 'tool'> {
  /** Default: the client. */
  audience?: Audience
  /** The input beside the ids. */
  input: Input
  problems: readonly ProblemType[]
  emits: readonly EventType[]
  /** Takes the amendment of the locked contract a step further. */
  move(
    context: ReactionContext,
    of: ContractRow,
    before: AmendmentRow,
    input: Static<TObject<Input>>,
  ): Promise<AmendmentRow>
}

/** An operation that takes an amendment a step further, under the lock of its contract. */
export function defineMove<Input extends TProperties>(definition: Move<Input>): Operation {
  const { audience = 'client', move, ...rest } = definition
  const { problems, ...rights } = openTo(audience, 'contracts')
  return {
    ...rest,
    ...rights,
    method: 'POST',
    subject: 'amendments',
    ...(audience === 'sandbox' && { acts_on: 'amendments.get' }),
    input: Closed({ ...AmendmentPath, ...definition.input }),
    output: amendment.answer,
    problems: [...problems, ...definition.problems],

    async handle(values, { caller, ...context }) {
      // The casts hold because the values have passed the schema.
      const { contract_id, amendment_id, ...given } = values as Static<TObject<typeof AmendmentPath>>
      const wanted = { ...ownRows(audience, caller), contract_id, amendment_id }
      const { locked, before } = await lockAmendment(context.tx, wanted)
      const input = given as Static<TObject<Input>>
      return amendment.show(await move({ ...context, actor: caller.actor }, locked, before, input))
    },
  }
}

/** Writes a step of an amendment and tells it. */
export async function moveAmendment(
  context: ReactionContext,
  of: ContractRow,
  before: AmendmentRow,
  after: AmendmentRow,
): Promise<AmendmentRow> {
  const row = await amendment.save(context.tx, before, after)
  tellMove(context, before, row, of)
  return row
}
