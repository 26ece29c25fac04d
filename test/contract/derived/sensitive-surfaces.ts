import { isMutation, type Operation } from '#core/operation.ts'
import { everyOperation, isRepeatable, isWorkers, plain, registry, type Schema } from './every-operation.ts'
import { eachMark, fieldsOfNouns } from './sensitive-fields.ts'
import { of_users } from './tokens.ts'

export interface Shown {
  /** The operation or event that shows it. */
  by: string
  schema: Schema
  /** Places that are left out. */
  omits?: readonly string[]
}

const shownBy = (which: readonly Operation[]): Shown[] => which.filter(isSensitive).map(shownOf)

export function isSensitive({ output }: Pick<Operation, 'output'>): boolean {
  let found = false
  eachMark(plain(output), () => {
    found = true
  })
  return found
}

export const shownOf = ({ id, output }: Operation): Shown => ({ by: id, schema: plain(output) })

export const told: Shown[] = [...registry.events.values()]
  .filter(({ sensitive }) => sensitive.categories.length > 0)
  .map(({ type }) => ({ by: type.type, schema: plain(type.entry) }))

export const reads = everyOperation.filter(({ method, file }) => method === 'GET' && !file)
export const changes = everyOperation.filter((each) => isMutation(each) && !isWorkers(each) && !each.spans_transactions)
/** Their keys are the organization's; those of a user are the user's own. */
export const repeatable = changes.filter((each) => isRepeatable(each) && !of_users.has(each.id))
export const files = (media_type: string) =>
  everyOperation.filter(({ file, ...each }) => file?.media_type.startsWith(media_type) && !isWorkers(each))
export const tools = everyOperation.filter((each) => each.tool && !isWorkers(each) && !each.spans_transactions)

/** A transaction that a dry run would book has no balances yet. */
export const posting: Shown = {
  by: 'postings',
  schema: plain(registry.operation('ledger.get_transaction').definition.output),
  omits: ['entries[].balance_after'],
}

/** The answers and events that each surface shows by the definitions. The last ones show no field, so that none may be found in their words. */
export const surfaces = {
  answer: shownBy(reads.filter((operation) => !isWorkers(operation))),
  change: shownBy(changes),
  'dry run': [...told, posting],
  tool: tools.filter(isSensitive).map(({ id, output, tool }) => ({
    ...{ by: id, schema: plain(output), omits: (tool?.omits ?? []).map((field) => `data[].${field}`) },
  })),
  worker: shownBy(reads.filter(isWorkers)),
  replay: shownBy(repeatable),
  webhook: told,
  history: told,
  feed: told,
  export: shownBy(files('text/csv')),
  print: shownBy(files('application/pdf')),
  audit: shownBy(reads.filter(({ id }) => id === 'audit.list')),
  'other reads': shownBy(reads.filter((each) => !isSensitive(each))),
  refusal: [],
  log: [],
} satisfies Record<string, Shown[]>
export type Surface = keyof typeof surfaces

const nouns = await fieldsOfNouns()

/** A field of a noun wherever it is shown; what an operation computes is a field of that operation. */
export function nameOf(schema: Schema, by: string, place: string): string {
  return nouns.get(schema) ?? `${by} ${place}`
}

export function namesIn({ schema, by, omits = [] }: Shown): string[] {
  const names: string[] = []
  eachMark(schema, (mark, place) => {
    if (!omits.some((omitted) => place.startsWith(omitted))) names.push(nameOf(mark, by, place))
  })
  return names
}

/** The fields that bear a mark by their category and noun. */
export function fieldsByCategory(): Map<string, Set<string>> {
  const marked = new Map<string, Set<string>>()
  const collect = (mark: Schema, name: string) => {
    const [, noun = '', field = ''] = /^(\w+\.\w+(?= )|\w+)[. ](?:data\[\]\.|currencies\[\]\.)?(.*)$/.exec(name) ?? []
    const key = `${mark['x-sensitive'] ?? 'by definition'} ${noun}`
    marked.set(key, (marked.get(key) ?? new Set()).add(field))
  }
  for (const [mark, name] of nouns) collect(mark, name)
  for (const { by, schema } of Object.values(surfaces).flat()) {
    eachMark(schema, (mark, place) => collect(mark, nameOf(mark, by, place)))
  }
  return marked
}

/** Every sensitive field that a noun has or a surface shows. */
export function everyField(): string[] {
  return [...new Set([...nouns.values(), ...Object.values(surfaces).flat().flatMap(namesIn)])]
}

/** The table of the domain (1.5), written down anew: a field that lost its mark is on no surface of the matrix. */
export const by_the_domain: Record<string, Record<string, string>> = {
  compensation: {
    amendment: 'amount changes[].from changes[].to terms.amount terms_digest',
    contract: 'compensation.amount terms_digest',
    invoice: 'subtotal taxable_base total vat_total',
    invoiceAdjustment: 'amount',
    invoiceLine: 'amount unit_price',
    ledgerAccount: 'balance',
    ledgerTransaction: 'entries[].amount entries[].balance_after',
    payment: 'fee invoices[].total total',
    timesheet: 'rate total_amount',
    'payments.get_breakdown':
      'bonus commission deduction expense fixed_rate milestone other overtime timesheets total vat_total',
    'ledger.get_trial_balance': 'accounts[].balance accounts[].credit accounts[].debit credit_total debit_total',
  },
  bank_details: {
    legalEntity: 'bank_account',
    payment: 'invoices[].has_bank_account',
    'payments.get_breakdown': 'bank_account',
    person: 'bank_account',
  },
  personal_identifiers: { invoice: 'supplier.vat_id', person: 'date_of_birth government_ids nationality vat_id' },
  home_address: {
    invoice: 'supplier.address',
    person: 'emergency_contact home_address personal_email phone',
  },
  health_and_leave: {
    timeOff: 'cancel_reason is_paid leave_type policy reason review.reason',
    'time_offs.list_entitlements': 'allowance approved available policy requested used',
    'worker.list_time_off_entitlements': 'allowance approved available policy requested used',
  },
  'by definition': { contract: 'custom_fields', person: 'custom_fields' },
}
