import { defineOperation } from '#core/operation.ts'
import { invalidState } from '#core/problems.ts'
import { Closed, Type } from '#core/schema/schema.ts'
import { reauthenticationRequired, refuseOldProof } from '#identity/console-request.ts'
import { resetFactorsOfMember } from '#identity/factors/factors.store.ts'
import { lockMembers, writing } from './change-member.ts'
import { member, refuseChange } from './member.ts'

export const resetMemberSecondFactor = defineOperation({
  ...writing,
  id: 'members.reset_second_factor',
  summary: 'Take the second factor off a member',
  description:
    'For a person who lost phone, passkeys and recovery codes: signs the person out, and the password alone signs in again. Refused for an account that is in another organization too; the operator of the service resets it then.',
  method: 'POST',
  path: '/members/:member_id/reset-second-factor',
  input: Closed(member.path),
  output: Type.Null(),
  status: 204,
  problems: [invalidState, reauthenticationRequired],

  async handle({ member_id: id }, context) {
    const { caller, tx, audit } = context
    const { organization_id } = caller
    const giver = await lockMembers(context)
    const row = await member.lock(tx, { organization_id, id })
    refuseChange(giver, row, null)
    refuseOldProof(caller, tx.real_now)
    if (row.status === 'disabled') throw invalidState('The member is disabled and signs in nowhere. Enable it first.')
    if (!(await resetFactorsOfMember(tx, id))) {
      throw invalidState(
        'This account is in another organization too. The operator resets it: `npx stint admin reset`.',
      )
    }
    audit({ id })
    return null
  },
})
