import type { SensitiveCategory } from '#core/caller.ts'

declare module '#core/caller.ts' {
  interface SensitiveCategories {
    compensation: true
    bank_details: true
    personal_identifiers: true
    home_address: true
    health_and_leave: true
  }
}

/** The categories of sensitive data; a credential is granted none unless its maker chooses them. */
export const sensitiveCategories: readonly SensitiveCategory[] = [
  'compensation',
  'bank_details',
  'personal_identifiers',
  'home_address',
  'health_and_leave',
]
