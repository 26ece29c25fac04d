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
