/** The state that a demo contract reaches after it was drafted. */
export type Fate = 'draft' | 'invited' | 'active' | 'leaving' | 'completed' | 'terminated' | 'cancelled' | 'rejected'

export type DemoContract = [
  external_id: string,
  worker: `${string} ${string} ${string}`,
  fate: Fate,
  type: 'fixed_rate' | 'pay_as_you_go' | 'milestone' | 'employee',
  starts_in_days: number,
  title: string,
  compensation: Record<string, unknown>,
  others?: { timezone: string } | { tax: { vat_rate: string } },
]

export interface DemoAmendment {
  contract: string
  fate: 'draft' | 'signed_by_client' | 'approved' | 'declined' | 'withdrawn'
  terms: Record<string, unknown>
  starts_in_days: number | null
}

const monthly = { frequency: 'monthly', cycle_end_type: 'day_of_month', cycle_end: 31 }
const last_thursday = { frequency: 'monthly', cycle_end_type: 'day_of_last_week', cycle_end: 4 }
const semimonthly = { frequency: 'semimonthly', cycle_end: 15 }
const biweekly = { frequency: 'biweekly', cycle_end: 5 }
const weekly = { frequency: 'weekly', cycle_end: 7 }

const salary = (amount: string, scale: 'monthly' | 'yearly') => ({ amount, currency: 'EUR', scale })
const rate = (amount: string, currency: string, terms: object = monthly) => ({ amount, currency, ...terms })

const vat = { tax: { vat_rate: '19' } }
const kuwait = { timezone: 'Asia/Kuwait' }
const santiago = { timezone: 'America/Santiago' }
const tokyo = { timezone: 'Asia/Tokyo' }
const chicago = { timezone: 'America/Chicago' }

const design = rate('1800.00', 'EUR', semimonthly)
const platform = rate('4200.00', 'EUR', { ...monthly, payment_due_days: 14 })
const support = rate('950.500', 'KWD', last_thursday)
const review = rate('21000.00', 'DKK', { ...biweekly, proration: 'working_days' })
const bookkeeping = rate('1850000', 'CLP')
const mobile = rate('48000', 'JPY', { ...monthly, scale: 'daily' })
const api = rate('45.00', 'EUR', { ...weekly, scale: 'hourly' })
const payments = { currency: 'USD', payment_due_days: 30, ...monthly }
const reliability = rate('60.00', 'USD', { ...biweekly, scale: 'hourly' })

/** One contract of every type and in every state, so that each list and filter has something to show. */
export const contracts: readonly DemoContract[] = [
  ['C01', 'Ada Lindqvist DE', 'active', 'employee', -90, 'Head of Engineering', salary('6500.00', 'monthly')],
  ['C02', 'Hana Novak CZ', 'active', 'employee', -90, 'Operations Manager', salary('54000.00', 'yearly')],
  ['C03', 'Jonas Weber DE', 'active', 'fixed_rate', -75, 'Platform engineering', platform, vat],
  ['C04', 'Chiara Conti IT', 'leaving', 'fixed_rate', -60, 'Brand and product design', design],
  ['C05', 'Dalia Haddad KW', 'active', 'fixed_rate', -60, 'Customer support, Gulf region', support, kuwait],
  ['C06', 'Freja Holm DK', 'completed', 'fixed_rate', -60, 'Design system review', review],
  ['C07', 'Ines Rojas CL', 'terminated', 'fixed_rate', -60, 'Bookkeeping in Santiago', bookkeeping, santiago],
  ['C08', 'Goro Tanaka JP', 'active', 'pay_as_you_go', -60, 'Mobile backend development', mobile, tokyo],
  ['C09', 'Bruno Ferreira PT', 'active', 'pay_as_you_go', -30, 'API development', api],
  ['C10', 'Emeka Okafor NG', 'active', 'milestone', -30, 'Payments integration', payments],
  ['C11', 'Liam Walsh US', 'terminated', 'pay_as_you_go', -30, 'Site reliability engineering', reliability, chicago],
  ['C12', 'Kira Patel IN', 'draft', 'fixed_rate', 16, 'Quality assurance', rate('3000.00', 'EUR')],
  ['C13', 'Emeka Okafor NG', 'invited', 'fixed_rate', 16, 'Payments integration, second phase', rate('2500.00', 'USD')],
  ['C14', 'Bruno Ferreira PT', 'cancelled', 'fixed_rate', 16, 'Migration of the time sheets', rate('2000.00', 'EUR')],
  ['C15', 'Liam Walsh US', 'rejected', 'fixed_rate', 16, 'Weekend on-call', rate('3000.00', 'USD')],
]

export const amendments: readonly DemoAmendment[] = [
  { contract: 'C03', fate: 'approved', terms: { amount: '4800.00' }, starts_in_days: 45 },
  { contract: 'C05', fate: 'signed_by_client', terms: { amount: '990.000' }, starts_in_days: 30 },
  { contract: 'C08', fate: 'declined', terms: { amount: '45000' }, starts_in_days: 30 },
  { contract: 'C09', fate: 'draft', terms: { amount: '48.00' }, starts_in_days: 30 },
  { contract: 'C10', fate: 'withdrawn', terms: { scope_of_work: 'Deliver the second release.' }, starts_in_days: null },
]
