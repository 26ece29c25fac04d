import { type DestinationStream, type Logger, pino } from 'pino'

/** Fields in which PostgreSQL quotes the row or the statement: people's data has no place in a log. */
const quoting_fields = ['detail', 'where', 'internalQuery']

/** The most bytes that wait while nothing can be written; lines beyond them are dropped. */
const waiting_bytes_max = 16 * 1024 * 1024

/** One JSON object per line, time in RFC 3339. Secrets are never handed to it; a test searches whole runs for them. */
export function createLog(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    messageKey: 'msg',
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: withoutQuotes },
  }
  return pino(options, destination ?? standardOutput())
}

/** Lines of one turn of the event loop leave in one write: a write for each was a tenth of the time of an attempt. */
function standardOutput(): DestinationStream {
  const output = pino.destination({ dest: 1, sync: true, minLength: 16_000, maxLength: waiting_bytes_max })
  // A terminal that was closed or a full disk must not end the process, least of all before its database.
  let is_failing = false
  output.on('error', () => {
    is_failing = true
  })
  output.on('write', () => {
    is_failing = false
  })
  // Not flushSync, which tries for ever, and blocks the process, when the reader is gone (`stint serve | head`).
  const flush = () => output.flush()
  process.once('exit', () => {
    flush()
    // Writes what a slow reader had no room for. With no reader at all pino has put nothing in its place by now.
    if (!is_failing) output.flushSync()
  })
  let is_waiting = false
  return {
    write(line) {
      output.write(line)
      if (is_waiting) return
      is_waiting = true
      setImmediate(() => {
        is_waiting = false
        flush()
      })
    },
  }
}

function withoutQuotes(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const fields = Object.entries(pino.stdSerializers.err(error))
  return Object.fromEntries(fields.filter(([name]) => !quoting_fields.includes(name)))
}
