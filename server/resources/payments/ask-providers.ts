import { collectEffects, recordChange } from '#core/effects.ts'
import type { Runtime } from '#core/invoke.ts'
import { createJob } from '#core/jobs/job.ts'
import { formatMoney, sumOf } from '#core/values.ts'
import { complete, fail } from './move-payment.ts'
import { accept, claim, nextToAsk } from './payment.store.ts'
import { type PaymentRow, payment } from './payment.ts'
import { type ProviderAnswer, type Providers, providers } from './provider.ts'
import { todayOf } from './step-payment.ts'

type Payment = { organization_id: string; id: string }

const payments_per_run_max = 1_000
const pause_ms = 5_000
/** A process that asks has this many seconds; after that another one asks again. */
const claim_s = 60

/**
 * Makes the one job of a process that asks providers about payments, after the commit that made it necessary and outside
 * of any transaction; any number of processes may run it at once. Its answer changes the payment in one of its own.
 */
export function createPaymentJob(runtime: Runtime, known: Providers = providers) {
  const { database, log } = runtime
  /** Asks about every payment that is due; answers how many were. */
  const runDue = async () => {
    let asked = 0
    for (; asked < payments_per_run_max && !job.signal.aborted; asked += 1) {
      const due = await database.transaction({ role: 'engine', read_only: true }, nextToAsk)
      if (!due) break
      await ask(due).catch((error: unknown) => {
        // The provider is asked again when the claim is over.
        log.error({ payment_id: due.id, organization_id: due.organization_id, err: error }, 'payment_provider_failed')
      })
    }
    return asked
  }
  const ask = async (due: Payment) => {
    const { organization_id } = due
    const row = await database.transaction({ role: 'app', organization_id }, async (tx) =>
      (await claim(tx, due, claim_s)) ? payment.get(tx, due) : undefined,
    )
    const provider = row && known[row.provider]
    if (!row) return
    if (!provider) throw new Error(`there is no provider ${row.provider}`)
    const answer = await (row.accepted_at ? provider.poll(row) : provider.initiate(row))
    await heed(runtime, row, answer, provider.polled_every_s)
  }
  const job = createJob(async () => {
    await runDue().catch((error: unknown) => log.error({ err: error }, 'payment_provider_failed'))
    return pause_ms
  })
  return { runDue, start: job.start, stop: job.stop }
}

/** Does what the answer says, in the name of the provider; one that came too late changes nothing. */
function heed(
  runtime: Runtime,
  { organization_id, id, provider }: PaymentRow,
  answer: ProviderAnswer,
  again_s: number | null,
) {
  const of = { organization_id, id }
  return runtime.database.transaction({ role: 'app', organization_id }, async (tx) => {
    const { status, currency } = await payment.get(tx, of)
    if (status !== 'processing') return
    if (answer.is === 'accepted') return accept(tx, of, again_s)
    const { effects, base } = collectEffects(runtime, tx)
    const today = await todayOf(tx, organization_id, tx.now)
    const context = { ...base, now: tx.now, today }
    if (answer.is === 'settled') {
      const { minor } = sumOf(currency, [answer.fee])
      const settlement = { fee: formatMoney(minor, currency), reference: answer.reference, value_date: today }
      await complete(context, of, () => settlement)
    } else await fail(context, of, answer.reason)
    await recordChange(runtime, tx, effects.events, {
      organization_id,
      actor: { kind: 'provider', id: null, name: provider },
      action: answer.is === 'settled' ? 'payments.settle' : 'payments.fail',
      subject: { kind: 'payments', id },
      changed_fields: ['status'],
    })
  })
}
