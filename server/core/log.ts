import { type DestinationStream, type Logger, pino } from 'pino'

/** One JSON object per line, time in RFC 3339. Secrets are never handed to it; a test searches whole runs for them. */
export function createLog(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    messageKey: 'msg',
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
  }
  return destination ? pino(options, destination) : pino(options)
}
