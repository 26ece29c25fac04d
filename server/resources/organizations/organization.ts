import { Country, CurrencyCode, Id, Nullable, Text, Timestamp, TimeZone, Type } from '#core/schema/schema.ts'

export interface OrganizationSettings {
  payment_approval: 'none' | 'second_person'
  invoice_prefix: string
  payment_prefix: string
  final_settlement_days: number
}

/** What applies where an organization has chosen nothing. */
export const defaultSettings: OrganizationSettings = {
  payment_approval: 'none',
  invoice_prefix: 'INV',
  payment_prefix: 'PAY',
  final_settlement_days: 30,
}

const Settings = Type.Object({
  payment_approval: Type.Enum(['none', 'second_person']),
  invoice_prefix: Type.String({ pattern: '^[A-Z0-9]{1,10}$' }),
  payment_prefix: Type.String({ pattern: '^[A-Z0-9]{1,10}$' }),
  final_settlement_days: Type.Integer({ minimum: 0, maximum: 90 }),
})

export const Organization = Type.Object({
  id: Id,
  name: Text(1, 200),
  legal_name: Nullable(Type.String()),
  country: Nullable(Country),
  default_currency: CurrencyCode,
  timezone: TimeZone,
  is_sandbox: Type.Boolean(),
  clock_now: Nullable({
    ...Timestamp,
    description: 'Business time; null without organizations:read.',
  } as typeof Timestamp),
  settings: Nullable(Settings),
  created_at: Timestamp,
  updated_at: Timestamp,
})

export interface OrganizationRow {
  id: string
  name: string
  legal_name: string | null
  country: string | null
  default_currency: string
  timezone: string
  is_sandbox: boolean
  settings: Partial<OrganizationSettings>
  created_at: string
  updated_at: string
}

/** `settings` and `clock_now` are for callers with `organizations:read` only. */
export function organizationOf(row: OrganizationRow, now: string, mayReadSettings: boolean) {
  return {
    ...row,
    settings: mayReadSettings ? { ...defaultSettings, ...row.settings } : null,
    clock_now: mayReadSettings ? now : null,
  }
}
