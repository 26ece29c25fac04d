import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { rateLimited, unavailable } from '#core/problems.ts'
import { createSemaphore } from '#core/semaphore.ts'
import type { pdfOf } from './pdf.ts'

type Invoice = Parameters<typeof pdfOf>[0]

/** The one that is made and those that wait: as many as a small script asks for at once. */
const per_organization_max = 4
const waiting_max = 20
const print_ms_max = 20_000
const headers = { 'Retry-After': '5' }

const turns = createSemaphore({
  running_max: 1,
  waiting_max,
  refusal: () => unavailable('Too many invoices are being printed at this moment.', { headers }),
})
const asked = new Map<string, number>()

/**
 * The PDF of an invoice, made in a thread, one at a time: one of 200 long lines takes a second, in which nobody else would be
 * answered here.
 */
export async function print(invoice: Invoice, organization_id: string): Promise<Uint8Array> {
  const own = asked.get(organization_id) ?? 0
  if (own >= per_organization_max) {
    throw rateLimited(`An organization has at most ${per_organization_max} invoices printed at once.`, { headers })
  }
  asked.set(organization_id, own + 1)
  try {
    return await turns.run(() => printInThread(invoice))
  } finally {
    const left = (asked.get(organization_id) ?? 1) - 1
    if (left > 0) asked.set(organization_id, left)
    else asked.delete(organization_id)
  }
}

/** Kept from the first invoice on: the library and its fonts are loaded once. While nothing is printed it holds up no exit. */
let thread: Worker | undefined

async function printInThread(invoice: Invoice): Promise<Uint8Array> {
  thread ??= new Worker(new URL('./pdf-thread.ts', import.meta.url))
  const own = thread
  own.ref()
  try {
    const printed = once(own, 'message', { signal: AbortSignal.timeout(print_ms_max) })
    own.postMessage(invoice)
    const [pdf] = await printed
    own.unref()
    return pdf
  } catch (cause) {
    // One that failed has ended, or hangs: the next invoice gets a new one.
    thread = undefined
    await own.terminate()
    if (!(cause instanceof Error) || cause.name !== 'AbortError') throw cause
    throw unavailable('The invoice takes too long to print.', { headers, cause })
  }
}
