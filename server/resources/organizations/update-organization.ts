import { defineOperation } from '#core/operation.ts'
import { Closed } from '#core/schema/schema.ts'
import { organization, organizationUpdated, SettingsChange, showOrganization } from './organization.ts'

export const updateOrganization = defineOperation({
  id: 'organizations.update',
  summary: 'Change the settings of the organization',
  description: 'Currency and time zone are defaults of what is made later; prefixes are those of numbers given later.',
  method: 'PATCH',
  path: '/organizations/:organization_id',
  scopes: ['organizations:write'],
  roles: ['owner', 'admin'],
  input: Closed({ ...organization.path, ...organization.change, settings: SettingsChange }),
  output: organization.answer,
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
    const row = await organization.save(tx, before, after)
    emit(organizationUpdated, { ...organization.entryOf(row), changed_fields })
    audit({ changed_fields })
    return showOrganization(row, now)
  },
})
