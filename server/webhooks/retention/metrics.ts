import { Counter, Gauge } from 'prom-client'
import { metrics } from '#core/metrics.ts'

export const postponedDrops = new Gauge({
  name: 'webhook_partition_drops_postponed',
  help: 'Weeks past the retention that still hold deliveries to be sent.',
  registers: [metrics],
})
export const partitionsAhead = new Gauge({
  name: 'webhook_partitions_ahead',
  help: 'Weeks after the running one whose partitions stand ready.',
  registers: [metrics],
})
export const defaultPartitionRows = new Gauge({
  name: 'webhook_default_partition_rows',
  help: 'Events and deliveries outside the weekly partitions, counted up to 10,000.',
  registers: [metrics],
})
export const expiredDeliveries = new Counter({
  name: 'webhook_expired_total',
  help: 'Held deliveries that expired.',
  registers: [metrics],
})
