import { setTimeout as sleep } from 'node:timers/promises'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'

/** The one registry of this process; rooms add their own instruments to it. Labels never name an organization. */
export const metrics = new Registry()

/** Instruments with their values, as they are told to another thread. */
export type Instruments = Awaited<ReturnType<typeof metrics.getMetricsAsJSON>>

const registers = [metrics]

export const counter = <Label extends string = never>(
  name: string,
  help: string,
  labelNames: Label[] = [],
  collect: (this: Counter<Label>) => void = () => undefined,
) => new Counter({ name, help, labelNames, registers, collect })

export const gauge = <Label extends string = never>(
  name: string,
  help: string,
  labelNames: Label[] = [],
  collect: (this: Gauge<Label>) => void | Promise<void> = () => undefined,
) => new Gauge({ name, help, labelNames, registers, collect })

export const histogram = <Label extends string = never>(
  name: string,
  help: string,
  buckets: number[],
  labelNames: Label[] = [],
) => new Histogram({ name, help, buckets, labelNames, registers })

/** However often it is scraped, a source is asked no more often than this. */
const read_again_ms = 5_000
/** A database that stands still must not hold up a scrape: the other metrics are looked at just then. */
const read_limit_ms = 500

/**
 * Asks a source at a scrape for what gauges tell of it. `read` answers the function that sets them; `forget` leaves a gap
 * in the graph, not an old number, where nobody is watched or the source does not answer.
 */
export function createScrape<Source>(read: (source: Source) => Promise<() => void>, forget: () => void) {
  let watched: Source | null = null
  let read_at_ms = Number.NEGATIVE_INFINITY
  return {
    /** From now on the gauges tell of this source; null when its work has stopped. */
    watch(source: Source | null): void {
      watched = source
      read_at_ms = Number.NEGATIVE_INFINITY
      forget()
    },
    async read(): Promise<void> {
      if (watched === null || performance.now() - read_at_ms < read_again_ms) return
      read_at_ms = performance.now()
      try {
        const tell = await Promise.race([read(watched), late()])
        tell()
      } catch {
        forget()
      }
    },
  }
}

async function late(): Promise<never> {
  await sleep(read_limit_ms, undefined, { ref: false })
  throw new Error('the source stands still')
}
