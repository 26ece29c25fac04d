import { isDeepStrictEqual } from 'node:util'
import { type Context, defineOperation } from '#core/operation.ts'
import { sensitiveDataRequired } from '#core/problems.ts'
import { BankAccount } from '#core/schema/bank-account.ts'
import { wholeObject } from '#core/schema/objects.ts'
import { Closed, type Static, Type } from '#core/schema/schema.ts'
import { reauthenticationRequired, refuseOldProof } from '#identity/console-request.ts'
import { bankAccountUpdated, type PersonRow, person, workerOf } from './person.ts'

const { properties: account } = BankAccount
// The cast holds because schemas keep their options, which their types forget.
const { oneOf, description } = BankAccount as typeof BankAccount & { oneOf: object[]; description: string }
const rights = { scopes: ['people:write'], roles: ['owner', 'admin'] } as const
const changes = {
  subject: 'people',
  problems: [sensitiveDataRequired, reauthenticationRequired],
  emits: [bankAccountUpdated],
} as const

export const setBankAccount = defineOperation({
  ...{ ...changes, ...rights },
  id: 'people.set_bank_account',
  summary: 'Set the bank account of a person',
  description: 'Replaces the one that is there. Needs bank_details, as whoever writes it decides where money goes.',
  method: 'PUT',
  path: '/people/:person_id/bank-account',
  input: Closed({ ...person.path, ...account }, { oneOf, description }),
  output: person.answer,
  handle: async ({ person_id, ...given }, context) => person.show(await write(person_id, given, context)),
})

export const removeBankAccount = defineOperation({
  ...{ ...changes, ...rights },
  id: 'people.remove_bank_account',
  summary: 'Remove the bank account of a person',
  method: 'DELETE',
  path: '/people/:person_id/bank-account',
  input: Closed(person.path),
  output: Type.Null(),
  status: 204,
  async handle({ person_id }, context) {
    await write(person_id, null, context)
    return null
  },
})

export const setOwnBankAccount = defineOperation({
  ...changes,
  id: 'worker.set_bank_account',
  summary: 'Set your own bank account',
  description: 'Replaces the one that is there. In the console it takes a password given in the last ten minutes.',
  method: 'PUT',
  path: '/worker/bank-account',
  scopes: ['worker:write'],
  acts_on: 'worker.get_profile',
  input: Closed(account, { oneOf, description }),
  output: person.answer,
  handle: async (given, context) => person.show(await write(workerOf(context.caller), given, context)),
})

type Given = Static<typeof BankAccount>

/** Writes where a person is paid to. Whoever may not see it may not write it either, and is told so first. */
async function write(id: string, given: Given | null, context: Context<typeof bankAccountUpdated>): Promise<PersonRow> {
  const { caller, tx, emit, audit, unchanged } = context
  const { organization_id, sensitive_data } = caller
  // A browser that was left open must not be enough to send the pay elsewhere.
  refuseOldProof(caller, tx.real_now)
  if (!sensitive_data.has('bank_details'))
    throw sensitiveDataRequired('A bank account needs the category bank_details.')
  const before = await person.lock(tx, { organization_id, id })
  // The cast holds because the members that it adds may be null.
  const bank_account = wholeObject(BankAccount, given) as Given | null
  if (isDeepStrictEqual(bank_account, before.bank_account)) {
    unchanged()
    return before
  }
  const row = await person.save(tx, before, { ...before, bank_account })
  emit(bankAccountUpdated, person.entryOf(row))
  audit({ id, changed_fields: ['bank_account'] })
  return row
}
