import type { Caller } from '#core/caller.ts'
import { anyOf, defineResource, equals, matching, type RowFrom, withDeleted, words } from '#core/resource.ts'
import {
  CalendarDate,
  Closed,
  Country,
  CurrencyCode,
  Email,
  ExternalId,
  Id,
  Locale,
  Nullable,
  Ref,
  Text,
  Timestamp,
  TimeZone,
  Type,
} from '#core/schema/schema.ts'
import { legalEntity } from '#resources/legal-entities/index.ts'
import { team } from '#resources/teams/index.ts'
import { direct_reports, hasEmail, isInTeam, teams_of_person } from './person.store.ts'

const Address = Closed({
  line_1: Text(1, 200, { example: 'Uferstraße 8' }),
  line_2: Type.Optional(Nullable(Text(0, 200))),
  city: Text(1, 100, { example: 'Berlin' }),
  region: Type.Optional(Nullable(Text(0, 100))),
  postal_code: Type.Optional(Nullable(Text(0, 20))),
  country: Country,
})

const EmergencyContact = Type.Object({
  name: Type.String({ example: 'Lena Weber' }),
  relation: Type.Optional(Nullable(Type.String())),
  phone: Type.String({ example: '+49 30 5550101' }),
})

const GovernmentId = Type.Object({
  type: Type.Enum(['passport', 'national_id', 'tax_id', 'social_security', 'other']),
  country: Country,
  number: Type.String({ example: 'L01X00T47' }),
})

const BankAccount = Type.Object({
  holder_name: Type.String({ example: 'Jonas Weber' }),
  country: Country,
  currency: CurrencyCode,
  bank_name: Type.Optional(Nullable(Type.String())),
  bic: Type.Optional(Nullable(Type.String())),
  routing_code: Type.Optional(Nullable(Type.String())),
  iban: Type.Optional(Nullable(Type.String({ example: 'DE02120300000000202051' }))),
  account_number: Type.Optional(Nullable(Type.String())),
})

const department = { table: 'departments', soft_delete: true } as const
const workingLocation = { table: 'working_locations', soft_delete: true } as const
const people = { table: 'people', label: 'full_name', soft_delete: true } as const

const server = { set_by: 'server' } as const
const home = { category: 'home_address', nullable: true } as const
const identifying = { category: 'personal_identifiers', nullable: true } as const

/** A worker or colleague; `status` follows from the contracts (domain rules 3.7), `access` from provisioning. */
export const person = defineResource({
  name: 'person',
  title: 'Person',
  ...people,
  fields: {
    id: { type: Id, ...server, example: '019b8d64-4f40-7d13-8e20-44b1c7f9a035' },
    first_name: { type: Text(1, 100), required: true, example: 'Jonas' },
    last_name: { type: Text(1, 100), required: true, example: 'Weber' },
    preferred_name: { type: Text(0, 100), nullable: true },
    full_name: {
      type: Type.String({ description: 'Preferred or first name, then last name.' }),
      generated: true,
      example: 'Jonas Weber',
    },
    email: { type: Email, shown: Type.String(), required: true, nullable: true, example: 'jonas@harbour.example' },
    personal_email: { type: Email, shown: Type.String(), ...home },
    phone: { type: Text(1, 16), ...home, example: '+49 30 5550101' },
    locale: { type: Locale, initial: 'en' },
    external_id: { type: ExternalId, nullable: true, example: 'jonas' },
    country: { type: Country, nullable: true, example: 'DE' },
    region: { type: Text(1, 10), nullable: true },
    timezone: { type: TimeZone, nullable: true },
    home_address: { type: Address, ...home },
    emergency_contact: { type: EmergencyContact, ...home },
    date_of_birth: { type: CalendarDate, ...identifying, example: '1991-06-04' },
    nationality: { type: Country, ...identifying, example: 'DE' },
    government_ids: { type: Type.Array(GovernmentId), category: 'personal_identifiers', initial: [] },
    vat_id: { type: Text(0, 30), ...identifying, example: 'DE129273398' },
    bank_account: { type: BankAccount, nullable: true, category: 'bank_details', ...server },
    worker_type: { type: Type.Enum(['contractor', 'employee']), initial: 'contractor', example: 'contractor' },
    job_title: { type: Text(0, 150), nullable: true, example: 'Platform engineer' },
    seniority: { type: Text(0, 100), nullable: true },
    start_date: { type: CalendarDate, nullable: true, example: '2026-01-15' },
    department: { refers: department, nullable: true },
    manager: { refers: people, nullable: true },
    working_location: { refers: workingLocation, nullable: true },
    legal_entity: { refers: legalEntity, nullable: true },
    teams: { type: Type.Array(Ref), read_from: teams_of_person },
    is_manager: { type: Type.Boolean(), computed: true },
    direct_reports_count: { type: Type.Integer({ minimum: 0 }), read_from: direct_reports },
    custom_fields: {
      type: Closed({}),
      shown: Type.Record(Type.String(), Type.Unknown()),
      initial: {},
    },
    status: { type: Type.Enum(['pending', 'active', 'offboarding', 'inactive']), ...server, example: 'pending' },
    access: { type: Type.Enum(['none', 'enabled', 'disabled']), ...server, initial: 'none', example: 'none' },
    created_at: { type: Timestamp, ...server, example: '2026-01-05T09:00:00.000Z' },
    updated_at: { type: Timestamp, ...server },
    deleted_at: { type: Timestamp, nullable: true, ...server },
  },
  internal: { user_id: { type: Id, nullable: true } },
  compute: ({ direct_reports_count }) => ({ is_manager: direct_reports_count > 0 }),
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
    include_deleted: withDeleted,
  },
  // External ids are of a kind of their own: contracts are found by the other words of their worker only.
  words: { person: ['first_name', 'last_name', 'email'], person_external_id: ['external_id'] },
  told: ['id', 'external_id', 'email', 'full_name', 'worker_type', 'status', 'access', 'country', 'created_at'],
})
export type PersonRow = RowFrom<typeof person>

/** The person a worker's credential acts for. Worker scopes are only ever given together with a person. */
export function workerOf({ person_id }: Caller): string {
  if (person_id === undefined) throw new Error('a credential with worker scopes has no person')
  return person_id
}

export const personCreated = person.event('person.created', 'A person was stored.', {}, {})
export const personUpdated = person.event(
  'person.updated',
  'Fields of a person changed, the status that follows from the contracts included.',
  { changed_fields: Type.Array(Type.String()) },
  { status: 'active', changed_fields: ['status'] },
)

/** The entry of `person.updated` for a status that followed from the contracts. */
export function statusEntry(worker: Parameters<typeof person.entryOf>[0]) {
  return { ...person.entryOf(worker), changed_fields: ['status'] }
}
