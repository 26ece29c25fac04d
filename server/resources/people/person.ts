import type { Caller } from '#core/caller.ts'
import {
  CalendarDate,
  Closed,
  Country,
  CurrencyCode,
  Id,
  Locale,
  Nullable,
  Ref,
  Sensitive,
  type Static,
  Text,
  Timestamp,
  TimeZone,
  Type,
} from '#core/schema/schema.ts'

export const worker_types = ['contractor', 'employee'] as const
export const person_statuses = ['pending', 'active', 'offboarding', 'inactive'] as const
export const accesses = ['none', 'enabled', 'disabled'] as const

export type PersonStatus = (typeof person_statuses)[number]

export const Address = Closed({
  line_1: Text(1, 200),
  line_2: Type.Optional(Nullable(Text(0, 200))),
  city: Text(1, 100),
  region: Type.Optional(Nullable(Text(0, 100))),
  postal_code: Type.Optional(Nullable(Text(0, 20))),
  country: Country,
})

const EmergencyContact = Type.Object({
  name: Type.String(),
  relation: Type.Optional(Nullable(Type.String())),
  phone: Type.String(),
})

const GovernmentId = Type.Object({
  type: Type.Enum(['passport', 'national_id', 'tax_id', 'social_security', 'other']),
  country: Country,
  number: Type.String(),
})

const BankAccount = Type.Object({
  holder_name: Type.String(),
  country: Country,
  currency: CurrencyCode,
  bank_name: Type.Optional(Nullable(Type.String())),
  bic: Type.Optional(Nullable(Type.String())),
  routing_code: Type.Optional(Nullable(Type.String())),
  iban: Type.Optional(Nullable(Type.String())),
  account_number: Type.Optional(Nullable(Type.String())),
})

/** A worker or colleague; `status` follows from the contracts (domain rules 3.7), `access` from provisioning. */
export const Person = Type.Object(
  {
    id: Id,
    first_name: Type.String(),
    last_name: Type.String(),
    preferred_name: Nullable(Type.String()),
    full_name: Type.String({ description: 'Preferred or first name, then last name.' }),
    email: Nullable(Type.String()),
    personal_email: Sensitive('home_address', Type.String()),
    phone: Sensitive('home_address', Type.String()),
    locale: Locale,
    external_id: Nullable(Type.String()),
    country: Nullable(Country),
    region: Nullable(Type.String()),
    timezone: Nullable(TimeZone),
    home_address: Sensitive('home_address', Address),
    emergency_contact: Sensitive('home_address', EmergencyContact),
    date_of_birth: Sensitive('personal_identifiers', CalendarDate),
    nationality: Sensitive('personal_identifiers', Country),
    government_ids: Sensitive('personal_identifiers', Type.Array(GovernmentId)),
    vat_id: Sensitive('personal_identifiers', Type.String()),
    bank_account: Sensitive('bank_details', BankAccount),
    worker_type: Type.Enum([...worker_types]),
    job_title: Nullable(Type.String()),
    seniority: Nullable(Type.String()),
    start_date: Nullable(CalendarDate),
    department: Nullable(Ref),
    manager: Nullable(Ref),
    working_location: Nullable(Ref),
    legal_entity: Nullable(Ref),
    teams: Type.Array(Ref),
    is_manager: Type.Boolean(),
    direct_reports_count: Type.Integer({ minimum: 0 }),
    custom_fields: Type.Record(Type.String(), Type.Unknown()),
    status: Type.Enum([...person_statuses]),
    access: Type.Enum([...accesses]),
    created_at: Timestamp,
    updated_at: Timestamp,
    deleted_at: Nullable(Timestamp),
  },
  { title: 'Person' },
)

export const PersonPath = { person_id: Id }

type Wire = Static<typeof Person>
type RefField = 'department' | 'manager' | 'working_location' | 'legal_entity'

/** A row of the store: the wire fields, with each reference as the two columns it is joined from. */
export type PersonRow = Omit<Wire, RefField | 'is_manager'> & {
  [Field in RefField as `${Field}_id` | `${Field}_name`]: string | null
}

export function personOf(row: PersonRow): Wire {
  const {
    department_id,
    department_name,
    manager_id,
    manager_name,
    working_location_id,
    working_location_name,
    legal_entity_id,
    legal_entity_name,
    ...rest
  } = row
  return {
    ...rest,
    department: refOf(department_id, department_name),
    manager: refOf(manager_id, manager_name),
    working_location: refOf(working_location_id, working_location_name),
    legal_entity: refOf(legal_entity_id, legal_entity_name),
    is_manager: row.direct_reports_count > 0,
  }
}

function refOf(id: string | null, name: string | null): Static<typeof Ref> | null {
  return id === null ? null : { id, name: name ?? '' }
}

/** The person a worker's credential acts for. Worker scopes are only ever given together with a person. */
export function workerOf({ person_id }: Caller): string {
  if (person_id === undefined) throw new Error('a credential with worker scopes has no person')
  return person_id
}

/** What contracts and events need of a person. */
export interface Worker {
  id: string
  external_id: string | null
  email: string | null
  full_name: string
  worker_type: Wire['worker_type']
  status: PersonStatus
  access: Wire['access']
  country: string | null
  locale: string
  created_at: string
}
