import { raw, type Sql, sql, type Transaction } from '#db/database.ts'

/** Totals are read as texts: as numbers of JSON they would pass through binary floating point. */
export const invoicesOfPayment: Sql = sql`(
  select json_agg(json_build_object(
    'invoice_id', i.id, 'number', i.number, 'contract_id', i.contract_id, 'worker_id', i.worker_id,
    'worker_email', w.email, 'total', i.total::text, 'has_bank_account', w.bank_account is not null) order by i.number)
  from payment_invoices p
  join invoices i on i.organization_id = p.organization_id and i.id = p.invoice_id
  join people w on w.organization_id = i.organization_id and w.id = i.worker_id
  where p.organization_id = payments.organization_id and p.payment_id = payments.id)`

export const hasInvoice = (invoice_id: string, organization_id: string): Sql => sql`payments.id in (
  select payment_id from payment_invoices where organization_id = ${organization_id} and invoice_id = ${invoice_id})`

export const paysContract = (contract_id: string, organization_id: string): Sql => sql`payments.id in (
  select p.payment_id from invoices i
  join payment_invoices p on p.organization_id = i.organization_id and p.invoice_id = i.id
  where i.organization_id = ${organization_id} and i.contract_id = ${contract_id})`

/** The moment at which a date, or the day after it, begins in the organization's time zone. */
const startOf = (date: string, days: 0 | 1, organization_id: string): Sql => sql`(
  select (${date}::date + ${raw(String(days))})::timestamp at time zone o.timezone from organizations o where o.id = ${organization_id})`
export const createdFrom = (date: string, organization_id: string): Sql =>
  sql`payments.created_at >= ${startOf(date, 0, organization_id)}`
export const createdTo = (date: string, organization_id: string): Sql =>
  sql`payments.created_at < ${startOf(date, 1, organization_id)}`

type Payment = { organization_id: string; id: string }

export function insertInvoices(
  tx: Transaction,
  { organization_id, id }: Payment,
  invoice_ids: readonly string[],
): void {
  tx.insert(sql`
    insert into payment_invoices (organization_id, payment_id, invoice_id, is_standing, account_digest)
    select i.organization_id, ${id}::uuid, i.id, true, digest_of_account(w.bank_account)
    from invoices i join people w on w.organization_id = i.organization_id and w.id = i.worker_id
    where i.organization_id = ${organization_id} and i.id = any (${invoice_ids}::uuid[])`)
}

/** Payees, by address, whose account is another one than when the payment was made. */
export async function changedPayees(tx: Transaction, { organization_id, id }: Payment): Promise<string[]> {
  const rows = await tx.rows<{ email: string }>(sql`
    select distinct coalesce(w.email, w.full_name) as email
    from payment_invoices p
    join invoices i on i.organization_id = p.organization_id and i.id = p.invoice_id
    join people w on w.organization_id = i.organization_id and w.id = i.worker_id
    where p.organization_id = ${organization_id} and p.payment_id = ${id}
      and p.account_digest <> digest_of_account(w.bank_account)
    order by 1`)
  return rows.map(({ email }) => email)
}

/** Workers who have an account that money can be sent to. */
export async function withAccount(
  tx: Transaction,
  organization_id: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const rows = await tx.rows<{ id: string }>(sql`
    select id from people where organization_id = ${organization_id} and id = any (${ids}) and bank_account is not null`)
  return new Set(rows.map(({ id }) => id))
}

/** Its invoices may be in another payment from now on. */
export async function releaseInvoices(tx: Transaction, { organization_id, id }: Payment): Promise<void> {
  await tx.run(sql`
    update payment_invoices set is_standing = false where organization_id = ${organization_id} and payment_id = ${id}`)
}

/** Ids of the invoices of a payment, which never change. */
export async function invoiceIdsOf(tx: Transaction, { organization_id, id }: Payment): Promise<string[]> {
  const rows = await tx.rows<{ invoice_id: string }>(sql`
    select invoice_id from payment_invoices where organization_id = ${organization_id} and payment_id = ${id}`)
  return rows.map(({ invoice_id }) => invoice_id)
}

/** Sums of the lines of an invoice by the kinds of a breakdown; null where it has no such line. */
const kinds = [
  'fixed_rate',
  'timesheet',
  'bonus',
  'commission',
  'overtime',
  'milestone',
  'expense',
  'deduction',
  'other',
]
const sums = kinds.map(
  (kind) =>
    `coalesce((sum(l.amount) filter (where l.type = '${kind}')), 0 * i.total) as ${kind === 'timesheet' ? 'timesheets' : kind}`,
)

export const breakdown_columns: Sql = sql`i.id as invoice_id, i.number, i.contract_id, i.worker_id, w.email as worker_email,
  w.full_name as worker_name, w.bank_account is not null as has_bank_account, w.bank_account,
  i.currency, lines.*, i.vat_total, i.total`
export const breakdown_tables: Sql = sql`payment_invoices p
  join invoices i on i.organization_id = p.organization_id and i.id = p.invoice_id
  join people w on w.organization_id = i.organization_id and w.id = i.worker_id
  cross join lateral (
    select ${raw(sums.join(', '))} from invoice_lines l
    where l.organization_id = i.organization_id and l.invoice_id = i.id) lines`
export const isOfPayment = ({ organization_id, id }: Payment): Sql =>
  sql`p.organization_id = ${organization_id} and p.payment_id = ${id}`

/** The next payment that a provider is to be asked about, of whatever organization; asked of the engine's role. */
export function nextToAsk(tx: Transaction): Promise<Payment | undefined> {
  return tx.row<Payment>(sql`
    select organization_id, id from payments where ask_at <= app_now() order by ask_at limit 1`)
}

/** Claims the payment for this process until a time; false where another process has it. */
export async function claim(tx: Transaction, { organization_id, id }: Payment, for_s: number): Promise<boolean> {
  const taken = await tx.run(sql`
    update payments set ask_at = app_now() + make_interval(secs => ${for_s})
    where organization_id = ${organization_id} and id = ${id} and ask_at <= app_now()`)
  return taken === 1
}

/** Notes that the provider has the payment, and when to ask again. */
export async function accept(tx: Transaction, { organization_id, id }: Payment, after_s: number | null): Promise<void> {
  await tx.run(sql`
    update payments
    set ask_at = app_now() + make_interval(secs => ${after_s}::int), accepted_at = coalesce(accepted_at, app_now())
    where organization_id = ${organization_id} and id = ${id} and status = 'processing'`)
}
