import { Counter, Gauge, Histogram } from 'prom-client'
import { metrics } from '#core/metrics.ts'
import type { RequestObserver } from './request-log.ts'

const durations = new Histogram({
  name: 'http_server_request_duration_seconds',
  help: 'Time from the request head to the end of the answer.',
  labelNames: ['operation', 'status'],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30],
  registers: [metrics],
})
const rateLimited = new Counter({
  name: 'rate_limited_total',
  help: 'Requests refused by a rate limit.',
  registers: [metrics],
})
export const openStreams = new Gauge({
  name: 'http_event_streams',
  help: 'Open streams of server-sent events.',
  registers: [metrics],
})

export const observeRequest: RequestObserver = ({ operation, status, duration_s }) => {
  durations.observe({ operation, status }, duration_s)
  if (status === 429) rateLimited.inc()
}
