import { useState } from 'react'
import type { Department, LegalEntity, Team, WorkingLocation } from '#sdk/index.ts'
import { Badge } from '../../components/badge.tsx'
import { Check } from '../../components/choice-list.tsx'
import { TextField } from '../../components/text-field.tsx'
import { countOf } from '../../lib/format.ts'
import { Link } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { countryName, LookupField } from '../lookup-field.tsx'
import { SimplePicker } from '../pickers.tsx'
import { custom_fields } from './custom-fields.tsx'
import { type FieldOf, kindOf } from './kind.ts'

const departments = kindOf<Department>({
  name: 'departments',
  words: 'Departments',
  one: 'department',
  about: 'Departments show where people belong; they can stand below one another.',
  has_search: true,
  list: stint.departments.list,
  create: (values, idempotency_key) =>
    stint.departments.create(values as Parameters<typeof stint.departments.create>[0], { idempotency_key }),
  update: (department_id, values) => stint.departments.update({ department_id, ...values }),
  remove: (department_id) => stint.departments.delete({ department_id }),
  under: ({ id, parent, people_count }) => (
    <>
      {parent ? `below ${parent.name} · ` : ''}
      <Link to={`/people?department=${id}`}>{countOf(people_count, 'person')}</Link>
    </>
  ),
  fields: ['parent_id'],
  Fields: ({ row, field }) => (
    <SimplePicker
      of="departments"
      {...field('parent_id', 'Below (optional)')}
      placeholder="No other department"
      defaultValue={row?.parent ?? null}
    />
  ),
})

const teams = kindOf<Team>({
  name: 'teams',
  words: 'Teams',
  one: 'team',
  about: 'A person can be in several teams; contracts can name one.',
  has_search: true,
  list: stint.teams.list,
  create: (values, idempotency_key) =>
    stint.teams.create(values as Parameters<typeof stint.teams.create>[0], { idempotency_key }),
  update: (team_id, values) => stint.teams.update({ team_id, ...values }),
  remove: (team_id) => stint.teams.delete({ team_id }),
  under: ({ id, member_count }) => <Link to={`/people?team=${id}`}>{countOf(member_count, 'member')}</Link>,
  fields: [],
  Fields: () => null,
})

const legal_entities = kindOf<LegalEntity>({
  name: 'legal-entities',
  words: 'Legal entities',
  one: 'legal entity',
  about: 'The companies that engage people. Contracts and invoices are in the name of one.',
  has_search: false,
  list: () => stint.legal_entities.list(),
  create: (values, idempotency_key) =>
    stint.legal_entities.create(values as Parameters<typeof stint.legal_entities.create>[0], { idempotency_key }),
  update: (legal_entity_id, values) => stint.legal_entities.update({ legal_entity_id, ...values }),
  remove: (legal_entity_id) => stint.legal_entities.delete({ legal_entity_id }),
  under: ({ country, is_default, vat_id }) => (
    <span className="badges">
      {[country && countryName(country), vat_id].filter(Boolean).join(' · ')}
      {is_default ? <Badge tone="good">default</Badge> : null}
    </span>
  ),
  fields: ['country', 'registration_number', 'vat_id'],
  Fields: EntityFields,
  values: (form) => (form.get('is_default') === 'true' ? { is_default: true } : {}),
})

function EntityFields({ row, field }: { row: LegalEntity | undefined; field: FieldOf }) {
  const [isDefault, setDefault] = useState(row?.is_default ?? false)
  return (
    <>
      <LookupField {...field('country', 'Country')} of="countries" defaultValue={row?.country ?? ''} />
      <div className="pair">
        <TextField
          {...field('registration_number', 'Registration number (optional)')}
          maxLength={50}
          defaultValue={row?.registration_number ?? ''}
        />
        <TextField {...field('vat_id', 'VAT id (optional)')} maxLength={30} defaultValue={row?.vat_id ?? ''} />
      </div>
      {/* One of them is always the default: it moves to another, and is never just taken off. */}
      {row?.is_default ? (
        <p className="hint">This is the default: contracts that name no other are in its name.</p>
      ) : (
        <Check checked={isDefault} onChange={setDefault}>
          Make it the default <span className="hint">Contracts that name no other are in its name.</span>
        </Check>
      )}
      {isDefault && !row?.is_default ? <input type="hidden" name="is_default" value="true" /> : null}
    </>
  )
}

const working_locations = kindOf<WorkingLocation>({
  name: 'working-locations',
  words: 'Working locations',
  one: 'working location',
  about: 'Places that people work at.',
  has_search: false,
  list: () => stint.working_locations.list(),
  create: (values, idempotency_key) =>
    stint.working_locations.create(values as Parameters<typeof stint.working_locations.create>[0], { idempotency_key }),
  update: (working_location_id, values) => stint.working_locations.update({ working_location_id, ...values }),
  remove: (working_location_id) => stint.working_locations.delete({ working_location_id }),
  under: ({ country }) => countryName(country),
  fields: ['country'],
  Fields: ({ row, field }) => (
    <LookupField {...field('country', 'Country')} of="countries" defaultValue={row?.country ?? ''} />
  ),
})

export const kinds = [departments, teams, legal_entities, working_locations, custom_fields] as const
