import { parentPort } from 'node:worker_threads'
import { pdfOf } from './pdf.ts'

/** The other side of `print.ts`: it runs in the thread, and an error ends it. */
parentPort?.on('message', async (invoice: Parameters<typeof pdfOf>[0]) => {
  parentPort?.postMessage(await pdfOf(invoice))
})
