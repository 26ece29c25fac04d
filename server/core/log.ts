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
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: withoutQuotes },
  }
  return pino(options, destination ?? standardOutput())
}

/** Writes lines that a log of another thread has made. */
export function writeLines(log: Logger, lines: string): void {
  const { [pino.symbols.streamSym]: output } = log as Logger & { [pino.symbols.streamSym]: DestinationStream }
  output.write(lines)
}

/** Lines leave together, after this at the latest: a write for each was a tenth of the time of an attempt. */
const gather_ms = 20
const gathered_characters_max = 16_000

/** Passes lines on as one text now and then, also when the process or the thread ends; while none come, nothing runs. */
export function gathered(pass: (text: string) => void) {
  let text = ''
  const flushSync = () => {
    if (text !== '') pass(text)
    text = ''
  }
  process.once('exit', flushSync)
  return {
    flushSync,
    write(line: string) {
      if (text === '') setTimeout(flushSync, gather_ms).unref()
      text += line
      if (text.length >= gathered_characters_max) flushSync()
    },
  }
}

function standardOutput(): DestinationStream {
  const lines = gathered((text) => output.write(text))
  const output = pino.destination({ dest: 1, sync: true, maxLength: waiting_bytes_max })
  // A terminal that was closed or a full disk must not end the process, least of all before its database.
  let is_failing = false
  output.on('error', () => {
    is_failing = true
  })
  output.on('write', () => {
    is_failing = false
  })
  process.once('exit', () => {
    // Not flushSync alone, which tries for ever, and blocks the process, when the reader is gone (`stint serve | head`).
    output.flush()
    if (!is_failing) output.flushSync()
  })
  return lines
}

function withoutQuotes(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const fields = Object.entries(pino.stdSerializers.err(error))
  return Object.fromEntries(fields.filter(([name]) => !quoting_fields.includes(name)))
}
