import { type DestinationStream, type Logger, pino } from 'pino'

/** Where PostgreSQL quotes the row or the statement: people's data has no place in a log. */
const quoting_fields = ['detail', 'where', 'internalQuery']

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
  return destination ? pino(options, destination) : pino(options)
}

function withoutQuotes(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const fields = Object.entries(pino.stdSerializers.err(error))
  return Object.fromEntries(fields.filter(([name]) => !quoting_fields.includes(name)))
}
