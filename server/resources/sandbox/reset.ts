import type { Caller } from '#core/caller.ts'
import { defineOperation } from '#core/operation.ts'
import { sandboxOnly } from '#core/problems.ts'
import { setClock } from '#core/sandbox-clock.ts'
import { Closed, Type } from '#core/schema/schema.ts'
import type { Transaction } from '#db/database.ts'
import { insertDefaultLegalEntity } from '#resources/legal-entities/index.ts'
import { organization, showOrganization } from '#resources/organizations/index.ts'
import { requireSandbox } from './clock.ts'
import { emptySandbox } from './sandbox.store.ts'

declare module '#core/operation.ts' {
  interface Rooms {
    demo: {
      /** Plays the demo's story in an empty sandbox, in the transaction of the caller and in silence. */
      fill(tx: Transaction, caller: Caller): Promise<void>
    }
  }
}

export const resetSandbox = defineOperation({
  id: 'sandbox.reset',
  subject: 'organizations',
  summary: 'Empty the sandbox',
  description:
    'Drops people, contracts and whatever came of them, and lets the test clock run with real time again. Tokens, webhooks, events and the audit log stay; credentials of workers go with their people. Nothing is told. Other changes, and a second reset, are refused meanwhile.',
  method: 'POST',
  path: '/sandbox/reset',
  scopes: ['organizations:write'],
  roles: ['owner', 'admin'],
  input: Closed({ demo_data: Type.Boolean({ default: true, description: 'Fill it with the demo data again.' }) }),
  output: organization.answer,
  problems: [sandboxOnly],
  spans_transactions: true,

  async handle({ demo_data }, { caller, tx, newId, audit, rooms }) {
    requireSandbox(caller)
    const { organization_id } = caller
    const row = await organization.lock(tx, { organization_id, id: organization_id })
    await emptySandbox(tx)
    await setClock(tx, organization_id, null)
    tx.keepTime(null)
    const { name, country } = row
    await insertDefaultLegalEntity(tx, { id: newId(), organization_id, name, country })
    if (demo_data) await rooms.demo.fill(tx, caller)
    audit({ id: organization_id })
    return showOrganization(await organization.get(tx, { organization_id, id: organization_id }), tx.now)
  },
})
