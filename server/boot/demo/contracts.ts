/** The state that a demo contract reaches after it was drafted. */
export type Fate = 'draft' | 'invited' | 'active' | 'leaving' | 'completed' | 'terminated' | 'cancelled' | 'rejected'

export interface DemoContract {
  /** Its external id. */
  key: string
  worker: keyof typeof people
  fate: Fate
  title: string
  type: 'fixed_rate' | 'pay_as_you_go' | 'milestone' | 'employee'
  starts_in_days: number
  timezone?: string
  compensation: Record<string, unknown>
  tax?: { vat_rate: string }
}

export interface DemoAmendment {
  contract: string
  fate: 'draft' | 'signed_by_client' | 'approved' | 'declined' | 'withdrawn'
  terms: Record<string, unknown>
  starts_in_days: number | null
}

/** First name is the key; the e-mail address is `<key>@harbour.example`. */
export const people = {
  ada: { last_name: 'Lindqvist', country: 'DE' },
  hana: { last_name: 'Novak', country: 'CZ' },
  jonas: { last_name: 'Weber', country: 'DE' },
  chiara: { last_name: 'Conti', country: 'IT' },
  dalia: { last_name: 'Haddad', country: 'KW' },
  freja: { last_name: 'Holm', country: 'DK' },
  ines: { last_name: 'Rojas', country: 'CL' },
  goro: { last_name: 'Tanaka', country: 'JP' },
  bruno: { last_name: 'Ferreira', country: 'PT' },
  emeka: { last_name: 'Okafor', country: 'NG' },
  liam: { last_name: 'Walsh', country: 'US' },
  kira: { last_name: 'Patel', country: 'IN' },
} as const

const monthly = { frequency: 'monthly', cycle_end_type: 'day_of_month', cycle_end: 31 }

/** One contract of every type and in every state, so that each list and filter has something to show. */
export const contracts: readonly DemoContract[] = [
  {
    key: 'C01',
    worker: 'ada',
    fate: 'active',
    title: 'Head of Engineering',
    type: 'employee',
    starts_in_days: -90,
    compensation: { amount: '6500.00', currency: 'EUR', scale: 'monthly' },
  },
  {
    key: 'C02',
    worker: 'hana',
    fate: 'active',
    title: 'Operations Manager',
    type: 'employee',
    starts_in_days: -90,
    compensation: { amount: '54000.00', currency: 'EUR', scale: 'yearly' },
  },
  {
    key: 'C03',
    worker: 'jonas',
    fate: 'active',
    title: 'Platform engineering',
    type: 'fixed_rate',
    starts_in_days: -75,
    compensation: { amount: '4200.00', currency: 'EUR', payment_due_days: 14, ...monthly },
    tax: { vat_rate: '19' },
  },
  {
    key: 'C04',
    worker: 'chiara',
    fate: 'leaving',
    title: 'Brand and product design',
    type: 'fixed_rate',
    starts_in_days: -60,
    compensation: { amount: '1800.00', currency: 'EUR', frequency: 'semimonthly', cycle_end: 15 },
  },
  {
    key: 'C05',
    worker: 'dalia',
    fate: 'active',
    title: 'Customer support, Gulf region',
    type: 'fixed_rate',
    starts_in_days: -60,
    timezone: 'Asia/Kuwait',
    compensation: {
      amount: '950.500',
      currency: 'KWD',
      frequency: 'monthly',
      cycle_end_type: 'day_of_last_week',
      cycle_end: 4,
    },
  },
  {
    key: 'C06',
    worker: 'freja',
    fate: 'completed',
    title: 'Design system review',
    type: 'fixed_rate',
    starts_in_days: -60,
    compensation: {
      amount: '21000.00',
      currency: 'DKK',
      frequency: 'biweekly',
      cycle_end: 5,
      proration: 'working_days',
    },
  },
  {
    key: 'C07',
    worker: 'ines',
    fate: 'terminated',
    title: 'Bookkeeping for the Santiago office',
    type: 'fixed_rate',
    starts_in_days: -60,
    timezone: 'America/Santiago',
    compensation: { amount: '1850000', currency: 'CLP', ...monthly },
  },
  {
    key: 'C08',
    worker: 'goro',
    fate: 'active',
    title: 'Mobile backend development',
    type: 'pay_as_you_go',
    starts_in_days: -60,
    timezone: 'Asia/Tokyo',
    compensation: { amount: '48000', currency: 'JPY', scale: 'daily', ...monthly },
  },
  {
    key: 'C09',
    worker: 'bruno',
    fate: 'active',
    title: 'API development',
    type: 'pay_as_you_go',
    starts_in_days: -30,
    compensation: { amount: '45.00', currency: 'EUR', scale: 'hourly', frequency: 'weekly', cycle_end: 7 },
  },
  {
    key: 'C10',
    worker: 'emeka',
    fate: 'active',
    title: 'Payments integration',
    type: 'milestone',
    starts_in_days: -30,
    compensation: { currency: 'USD', payment_due_days: 30, ...monthly },
  },
  {
    key: 'C11',
    worker: 'liam',
    fate: 'terminated',
    title: 'Site reliability engineering',
    type: 'pay_as_you_go',
    starts_in_days: -30,
    timezone: 'America/Chicago',
    compensation: { amount: '60.00', currency: 'USD', scale: 'hourly', frequency: 'biweekly', cycle_end: 5 },
  },
  {
    key: 'C12',
    worker: 'kira',
    fate: 'draft',
    title: 'Quality assurance',
    type: 'fixed_rate',
    starts_in_days: 16,
    compensation: { amount: '3000.00', currency: 'EUR', ...monthly },
  },
  {
    key: 'C13',
    worker: 'emeka',
    fate: 'invited',
    title: 'Payments integration, second phase',
    type: 'fixed_rate',
    starts_in_days: 16,
    compensation: { amount: '2500.00', currency: 'USD', ...monthly },
  },
  {
    key: 'C14',
    worker: 'bruno',
    fate: 'cancelled',
    title: 'Migration of the time sheets',
    type: 'fixed_rate',
    starts_in_days: 16,
    compensation: { amount: '2000.00', currency: 'EUR', ...monthly },
  },
  {
    key: 'C15',
    worker: 'liam',
    fate: 'rejected',
    title: 'Weekend on-call',
    type: 'fixed_rate',
    starts_in_days: 16,
    compensation: { amount: '3000.00', currency: 'USD', ...monthly },
  },
]

export const amendments: readonly DemoAmendment[] = [
  { contract: 'C03', fate: 'approved', terms: { amount: '4800.00' }, starts_in_days: 45 },
  { contract: 'C05', fate: 'signed_by_client', terms: { amount: '990.000' }, starts_in_days: 30 },
  { contract: 'C08', fate: 'declined', terms: { amount: '45000' }, starts_in_days: 30 },
  { contract: 'C09', fate: 'draft', terms: { amount: '48.00' }, starts_in_days: 30 },
  { contract: 'C10', fate: 'withdrawn', terms: { scope_of_work: 'Deliver the second release.' }, starts_in_days: null },
]
