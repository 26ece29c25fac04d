import { authorize } from '#core/caller.ts'
import { defineOperation } from '#core/operation.ts'
import { userRequired } from '#core/problems.ts'
import { Closed } from '#core/schema/schema.ts'
import { reauthenticationRequired, refuseOldProof } from '#identity/console-request.ts'
import { organization, organizationUpdated, SettingsChange, showOrganization } from './organization.ts'

export const updateOrganization = defineOperation({
  id: 'organizations.update',
  summary: 'Change the settings of the organization',
  description:
    'Currency and time zone are defaults of what is made later; prefixes are those of numbers given later. Lowering `payment_approval` or `second_factor` takes a user who may pay; payments go on to need a second person for a day.',
  method: 'PATCH',
  path: '/organizations/:organization_id',
  scopes: ['organizations:write'],
  roles: ['owner', 'admin'],
  input: Closed({ ...organization.path, ...organization.change, settings: SettingsChange }),
  output: organization.answer,
  problems: [userRequired, reauthenticationRequired],
  emits: [organizationUpdated],

  async handle({ organization_id: id, settings = {}, ...change }, { caller, tx, now, emit, audit, unchanged }) {
    const before = await organization.lock(tx, { organization_id: caller.organization_id, id })
    const after = { ...before, ...organization.changed(change), settings: { ...before.settings, ...settings } }
    const { settings: shown } = showOrganization(before, now)
    // The cast holds because both have the names of settings.
    const moved = Object.entries(settings).flatMap(([name, value]) =>
      shown[name as keyof typeof shown] === value ? [] : [`settings.${name}`],
    )
    const changed_fields = [...organization.changes(before, after).filter((name) => name !== 'settings'), ...moved]
    if (changed_fields.length === 0) {
      unchanged()
      return showOrganization(before, now)
    }
    // A sandbox moves no money, and its demo begins with settings of its own.
    const lowers = (name: 'payment_approval' | 'second_factor', to: string) =>
      !before.is_sandbox && moved.includes(`settings.${name}`) && settings[name] === to
    const [lowers_approval, lowers_factor] = [lowers('payment_approval', 'none'), lowers('second_factor', 'optional')]
    if (lowers_approval || lowers_factor) {
      // These rules hold people back, so no token undoes them, nor whoever could not send money anyway.
      if (caller.user_id === undefined) throw userRequired()
      authorize(caller, { scopes: ['accounting:write'], roles: ['owner', 'finance'] })
      refuseOldProof(caller, tx.real_now)
    }
    const approval_lowered_at = lowers_approval ? tx.real_now : before.approval_lowered_at
    const row = await organization.save(tx, before, { ...after, approval_lowered_at })
    emit(organizationUpdated, { ...organization.entryOf(row), changed_fields })
    audit({ changed_fields })
    return showOrganization(row, now)
  },
})
