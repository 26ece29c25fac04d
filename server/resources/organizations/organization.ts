import { defineResource, type RowFrom } from '#core/resource.ts'
import { server } from '#core/schema/fields.ts'
import {
  Closed,
  Country,
  CurrencyCode,
  Id,
  Observed,
  type Static,
  Text,
  Timestamp,
  TimeZone,
  Type,
} from '#core/schema/schema.ts'

const prefix = (nouns: string, example: string) =>
  Type.String({
    pattern: '^[A-Z0-9]{1,10}$',
    description: `The numbers of ${nouns} begin with it: 1 to 10 capital letters and digits.`,
    example,
  })

const Settings = Type.Object({
  payment_approval: Type.Enum(['none', 'second_person']),
  invoice_prefix: prefix('invoices', 'INV'),
  payment_prefix: prefix('payments', 'PAY'),
  final_settlement_days: Type.Integer({ minimum: 0, maximum: 90 }),
  second_factor: Type.Enum(['optional', 'required']),
})

/** Settings that a change names; the others stay. */
export const SettingsChange = Type.Optional(Closed({ ...Type.Partial(Settings).properties }))

/** Settings of an organization that has chosen nothing. */
export const default_settings: Static<typeof Settings> = {
  payment_approval: 'none',
  invoice_prefix: 'INV',
  payment_prefix: 'PAY',
  final_settlement_days: 30,
  second_factor: 'optional',
}

/** A company that uses the service; made by the operator. */
export const organization = defineResource({
  name: 'organization',
  table: 'organizations',
  tenant: 'id',
  title: 'Organization',
  module: 'organization',
  fields: {
    id: { type: Id, ...server, example: '019b8d2b-8c00-7a10-8c02-61f0d4b7a9e3' },
    name: { type: Text(1, 200), shown: Text(1, 200), required: true, example: 'Harbour Pine' },
    legal_name: { type: Text(0, 200), nullable: true, example: 'Harbour Pine GmbH' },
    country: { type: Country, nullable: true },
    default_currency: { type: CurrencyCode },
    timezone: { type: TimeZone },
    is_sandbox: { type: Type.Boolean(), ...server },
    clock_now: {
      // The cast holds because only its words are others.
      type: Observed({
        ...Timestamp,
        description: 'Business time; null without organizations:read.',
      } as typeof Timestamp),
      nullable: true,
      computed: true,
    },
    settings: { type: Settings, nullable: true, computed: true },
    created_at: { type: Timestamp, ...server },
    updated_at: { type: Timestamp, ...server },
  },
  internal: {
    approval_lowered_at: { type: Timestamp, nullable: true },
    settings: { type: Type.Partial(Settings), initial: {} },
  },
  compute: () => ({ clock_now: null, settings: null }),
  told: ['id', 'name'],
})
export type OrganizationRow = RowFrom<typeof organization>

const lowered_counts_after_ms = 86_400_000

/**
 * True where a payment needs a second person: while the setting says so, and for a day after it was lowered, so that nobody
 * lowers it, pays and raises it again unseen.
 */
export function needsSecondPerson({ settings, approval_lowered_at }: OrganizationRow, real_now: string): boolean {
  const { payment_approval } = { ...default_settings, ...settings }
  if (payment_approval === 'second_person') return true
  return (
    approval_lowered_at !== null && Date.parse(real_now) - Date.parse(approval_lowered_at) < lowered_counts_after_ms
  )
}

/** The answer of an organization for callers who may read its settings and its clock. */
export function showOrganization(row: OrganizationRow, now: string) {
  return { ...organization.show(row), settings: { ...default_settings, ...row.settings }, clock_now: now }
}

export const organizationUpdated = organization.event(
  'organization.updated',
  'Settings of the organization changed.',
  { changed_fields: Type.Array(Type.String()) },
  { changed_fields: ['settings.invoice_prefix'] },
)
