import type { Caller } from '#core/caller.ts'
import { anyOf, equals, matching, withDeleted, words } from '#core/filters.ts'
import { eventsAbout } from '#core/operation.ts'
import { emailInUse, externalIdInUse } from '#core/problems.ts'
import { defineHappening } from '#core/reaction.ts'
import { defineResource, type RowFrom } from '#core/resource.ts'
import { Address } from '#core/schema/address.ts'
import { BankAccount } from '#core/schema/bank-account.ts'
import { server } from '#core/schema/fields.ts'
import {
  CalendarDate,
  Closed,
  Country,
  Email,
  ExternalId,
  Id,
  Locale,
  Nullable,
  Text,
  Timestamp,
  TimeZone,
  Type,
} from '#core/schema/schema.ts'
import { phone_pattern } from '#core/values.ts'
import { customFieldsOf } from '#resources/custom-fields/index.ts'
import { department } from '#resources/departments/index.ts'
import { legalEntity } from '#resources/legal-entities/index.ts'
import { team } from '#resources/teams/index.ts'
import { workingLocation } from '#resources/working-locations/index.ts'
import { direct_reports, hasEmail, isInTeam, isProvisioned, provisioned_at } from './person.store.ts'

const Phone = Type.String({ pattern: phone_pattern, trim: true, description: 'E.164, such as +49305550101.' })

const EmergencyContact = Closed({
  name: Text(1, 200, { example: 'Lena Weber' }),
  relation: Type.Optional(Nullable(Text(0, 100))),
  phone: { ...Phone, example: '+49305550101' },
})

const GovernmentId = Closed({
  type: Type.Enum(['passport', 'national_id', 'tax_id', 'social_security', 'other']),
  country: Country,
  number: Text(1, 50, { example: 'L01X00T47' }),
})

const people = { table: 'people', label: 'full_name', soft_delete: true } as const
const team_members = { table: 'team_members', own: 'person_id', other: 'team_id' } as const

const custom = customFieldsOf('person')
const home = { category: 'home_address', nullable: true } as const
const identifying = { category: 'personal_identifiers', nullable: true } as const

/** The part of a person that SCIM keeps; a user name of its own only where it differs from the e-mail address. */
const provisioned = {
  user_name: { type: Type.String(), nullable: true },
  scim_external_id: { type: Type.String(), nullable: true },
  manager_ref: { type: Type.String(), nullable: true },
  scim_created: { type: Type.Boolean(), initial: false },
  scim_linked_at: { type: Timestamp, nullable: true },
  scim_removed_at: { type: Timestamp, nullable: true },
  scim_synced_at: { type: Timestamp, nullable: true },
  scim_written: { type: Type.Array(Type.String()), initial: [] },
  scim_bag: { type: Type.Object({}), initial: {} },
} as const

/** A worker or colleague; `status` follows from the contracts (domain rules 3.7), `access` from provisioning. */
export const person = defineResource({
  name: 'person',
  title: 'Person',
  ...people,
  fields: {
    id: { type: Id, ...server, example: '019b8d64-4f40-7d13-8e20-44b1c7f9a035' },
    first_name: { type: Text(1, 100), shown: Type.String(), required: true, example: 'Jonas' },
    last_name: { type: Text(1, 100), shown: Type.String(), required: true, example: 'Weber' },
    preferred_name: { type: Text(0, 100), shown: Type.String(), nullable: true },
    full_name: {
      type: Type.String({ description: 'Preferred or first name, then last name.' }),
      generated: true,
      initial: '',
      example: 'Jonas Weber',
    },
    // Null only where provisioning knows no usable address.
    email: {
      ...{ type: Email, shown: Type.String(), required: true, nullable: true, never_cleared: true },
      example: 'jonas@harbour.example',
    },
    personal_email: { type: Email, shown: Type.String(), ...home },
    phone: { type: Phone, ...home, example: '+49305550101' },
    locale: { type: Locale, initial: 'en' },
    external_id: { type: ExternalId, nullable: true, example: 'jonas' },
    country: { type: Country, nullable: true, example: 'DE' },
    region: { type: Text(1, 10), nullable: true },
    timezone: { type: TimeZone, nullable: true },
    home_address: { type: Address, ...home },
    emergency_contact: { type: EmergencyContact, ...home },
    date_of_birth: { type: CalendarDate, ...identifying, example: '1991-06-04' },
    nationality: { type: Country, ...identifying, example: 'DE' },
    government_ids: {
      ...{ type: Type.Array(GovernmentId, { maxItems: 10 }), category: 'personal_identifiers', initial: [] },
    },
    vat_id: { type: Text(0, 30), ...identifying, example: 'DE129273398' },
    bank_account: { type: BankAccount, nullable: true, category: 'bank_details', ...server },
    worker_type: { type: Type.Enum(['contractor', 'employee']), initial: 'contractor', example: 'contractor' },
    job_title: { type: Text(0, 150), shown: Type.String(), nullable: true, example: 'Platform engineer' },
    seniority: { type: Text(0, 100), nullable: true },
    start_date: { type: CalendarDate, nullable: true, example: '2026-01-15' },
    department: { refers: department, nullable: true },
    manager: { refers: people, nullable: true },
    working_location: { refers: workingLocation, nullable: true },
    legal_entity: { refers: legalEntity, nullable: true },
    teams: { refers_each: team, links: team_members, items_max: 50 },
    is_manager: { type: Type.Boolean(), computed: true },
    direct_reports_count: { type: Type.Integer({ minimum: 0 }), read_from: direct_reports, initial: 0 },
    custom_fields: custom.field,
    status: {
      ...{ type: Type.Enum(['pending', 'active', 'offboarding', 'inactive']), ...server, initial: 'active' },
      example: 'pending',
    },
    access: { type: Type.Enum(['none', 'enabled', 'disabled']), ...server, initial: 'none', example: 'none' },
    provisioned_at: {
      type: {
        ...Timestamp,
        description: 'When an identity provider last wrote the person; null where none keeps it.',
      } as typeof Timestamp,
      nullable: true,
      read_from: provisioned_at,
    },
    created_at: { type: Timestamp, ...server, example: '2026-01-05T09:00:00.000Z' },
    updated_at: { type: Timestamp, ...server },
    deleted_at: { type: Timestamp, nullable: true, ...server },
    erased_at: {
      // The cast holds because a description changes no type.
      type: { ...Timestamp, description: 'When the personal data were erased.' } as typeof Timestamp,
      ...{ nullable: true, ...server },
    },
  },
  internal: { user_id: { type: Id, nullable: true }, shown_custom_fields: custom.shown, ...provisioned },
  compute: ({ direct_reports_count }) => ({ is_manager: direct_reports_count > 0 }),
  unique: {
    email: { problem: emailInUse, detail: 'Another person has this e-mail address.' },
    user_name: { problem: emailInUse, detail: 'Another person signs in under this name.', has_pointer: false },
    // A contract that describes its worker has an external_id of its own.
    external_id: { problem: externalIdInUse, has_pointer: false },
  },
  filters: {
    search: words('Beginnings of words of names, e-mail or external id.'),
    statuses: anyOf('status', 'Any of these statuses.'),
    worker_types: anyOf('worker_type', 'Any of these kinds of worker.'),
    department_id: equals('department_id'),
    team_id: matching(Id, isInTeam, team),
    manager_id: equals('manager_id'),
    legal_entity_id: equals('legal_entity_id'),
    working_location_id: equals('working_location_id'),
    countries: anyOf('country', 'In any of these countries.'),
    email: matching(Email, hasEmail),
    external_id: equals('external_id'),
    is_provisioned: matching(Type.Boolean({ description: 'Kept by an identity provider.' }), isProvisioned),
    include_deleted: withDeleted,
  },
  // External ids are of a kind of their own: contracts are found by the other words of their worker only.
  words: { person: ['first_name', 'last_name', 'preferred_name', 'email'], person_external_id: ['external_id'] },
  told: ['id', 'external_id', 'email', 'full_name', 'worker_type', 'status', 'access', 'country', 'created_at'],
})
export type PersonRow = RowFrom<typeof person>

/** The person a worker's credential acts for. Worker scopes are only ever given together with a person. */
export function workerOf({ person_id }: Caller): string {
  if (person_id === undefined) throw new Error('a credential with worker scopes has no person')
  return person_id
}

/** The field of a row that belongs to a worker, whose columns are read as `worker`, and the address that stands beside it. */
export const worker_reference = {
  type: Id,
  refers: person,
  joined_as: 'worker',
  example: '019b8d64-4f40-7d13-8e20-44b1c7f9a035',
} as const
export const worker_email = {
  type: Type.String(),
  read_from: 'worker.email',
  example: 'jonas@harbour.example',
} as const
export const worker_name = { type: Type.String(), read_from: 'worker.full_name', example: 'Jonas Weber' } as const

export const personEvents = {
  created: person.event('person.created', 'A person was stored.', {}, {}),
  updated: person.event(
    'person.updated',
    'Fields of a person changed, the status that follows from the contracts included.',
    { changed_fields: Type.Array(Type.String()) },
    { status: 'active', changed_fields: ['status'] },
  ),
  deleted: person.event('person.deleted', 'A person was removed.', {}, {}),
}
export const bankAccountUpdated = person.event(
  'person.bank-account.updated',
  'The payout details of a person were set or removed.',
  {},
  {},
)
const provisioning = eventsAbout('scim', person.entry, person.entryExample)
export const userProvisioned = provisioning(
  'user.provisioned',
  'A person may sign in: an invitation was taken up.',
  {},
  { access: 'enabled' },
)
export const userDeprovisioned = provisioning(
  'user.deprovisioned',
  'The access of a person ended, with all its sessions, tokens and grants.',
  {},
  { access: 'disabled' },
)

/** A person is about to be removed. */
export const personRemoving = defineHappening<PersonRow>('person removing')

/** The personal data of somebody who was removed are about to be erased: whoever keeps some of them erases those too. */
export const personErasing = defineHappening<PersonRow>('person erasing')

/** The entry of `person.updated` for a status that followed from the contracts. */
export function statusEntry(worker: Parameters<typeof person.entryOf>[0]) {
  return { ...person.entryOf(worker), changed_fields: ['status'] }
}

/** The names of everybody whose personal data were erased, and what they make together. */
export const erased_names = { first_name: 'Erased', last_name: 'person' } as const
export const erased_name = Object.values(erased_names).join(' ')

/** The columns that answers and events of people name; the others belong to provisioning and the login. */
export const toldColumns = (columns: readonly string[]): string[] =>
  columns.filter((column) => !/^(user_(id|name)|manager_ref|scim_.*)$/.test(column))

/** A person with the name that the database computes from the others. */
export function named(row: PersonRow): PersonRow {
  return { ...row, full_name: `${row.preferred_name || row.first_name} ${row.last_name}`.trim() }
}
