import { readFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import pg from 'pg/package.json' with { type: 'json' }
import undici from 'undici/package.json' with { type: 'json' }

/** The machine and the programs that the figures depend on beside the code. */
export function describeMachine(): Record<string, string | number> {
  return {
    node: process.version,
    pg: pg.version,
    undici: undici.version,
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memory_gib: Math.round(totalmem() / 2 ** 30),
    kernel: readFileSync('/proc/sys/kernel/osrelease', 'utf8').trim(),
    load_at_start: Number(loadavg()[0]?.toFixed(2)),
  }
}
