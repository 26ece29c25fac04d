import { type Step, start } from '../story.ts'

const made = (operation: string, makes: string, input: object): Step => ({
  ...{ on: start, kind: 'structure', operation, makes, input: { ...input } },
})
const unmade = { kind: 'structure', on: start } as const

const legal_entities: Step[] = [
  made('legal_entities.create', 'LE1', {
    ...{ name: 'Harbour Pine GmbH', country: 'DE', is_default: true, external_id: 'LE1' },
    ...{ registration_number: 'HRB 182736 B', vat_id: 'DE312457869' },
    address: { line_1: 'Uferstraße 8', city: 'Berlin', postal_code: '13357', country: 'DE' },
  }),
  made('legal_entities.create', 'LE2', {
    ...{ name: 'Harbour Pine Inc.', country: 'US', external_id: 'LE2', registration_number: '32081744519' },
    address: { line_1: '410 Congress Avenue', city: 'Austin', region: 'TX', postal_code: '78701', country: 'US' },
  }),
  // The legal entity with which every organization begins is not part of the story.
  { ...unmade, operation: 'legal_entities.delete', input: { legal_entity_id: '@first_entity' } },
]

const department = (name: string, parent_id?: string) =>
  made('departments.create', name, { name, external_id: name.toLowerCase(), ...(parent_id && { parent_id }) })

const team = (name: string) => made('teams.create', name, { name, external_id: name.toLowerCase() })

const location = (name: string, country: string) =>
  made('working_locations.create', name, { name, country, external_id: name.toLowerCase() })

export const structure: Step[] = [
  {
    ...{ ...unmade, operation: 'organizations.update' },
    input: {
      ...{ organization_id: '@organization', legal_name: 'Harbour Pine GmbH', country: 'DE' },
      ...{ default_currency: 'EUR', timezone: 'Europe/Berlin' },
      settings: {
        ...{ payment_approval: 'none', invoice_prefix: 'INV', payment_prefix: 'PAY', final_settlement_days: 14 },
      },
    },
  },
  ...legal_entities,
  ...[department('Engineering'), department('Backend', '@Engineering'), department('Operations')],
  ...[team('Platform'), team('Design')],
  ...[location('Berlin', 'DE'), location('Austin', 'US')],
  made('custom_fields.create', 'shirt_size', {
    ...{ key: 'shirt_size', name: 'Shirt size', entity: 'person', type: 'select', options: ['S', 'M', 'L'] },
  }),
  made('custom_fields.create', 'cost_code', {
    ...{ key: 'cost_code', name: 'Cost code', entity: 'contract', type: 'text' },
  }),
  made('time_off_policies.create', 'Vacation', {
    ...{ name: 'Vacation', leave_type: 'vacation', annual_allowance_days: '30' },
  }),
  made('time_off_policies.create', 'Sick leave', {
    ...{ name: 'Sick leave', leave_type: 'sick', requires_approval: false },
  }),
]
