import { readdirSync, readFileSync } from 'node:fs'

/** CPU time in µs by process id. */
export type CpuTimes = ReadonlyMap<number, number>

/**
 * CPU time of processes with all their threads. `schedstat` counts nanoseconds; `/proc/<pid>/stat`, and with it
 * `process.cpuUsage`, counts the same time but in ticks of 10 ms for a stranger.
 */
export function cpuTimes(pids: readonly number[]): CpuTimes {
  return new Map(pids.map((pid) => [pid, threadsOf(pid).reduce((sum, path) => sum + firstNumberOf(path) / 1_000, 0)]))
}

/** µs spent between two readings; a process that ended meanwhile is not counted, one that began is from its start. */
export function cpuSpent(before: CpuTimes, after: CpuTimes): number {
  return [...after].reduce((sum, [pid, time_us]) => sum + Math.max(0, time_us - (before.get(pid) ?? 0)), 0)
}

/** A process and everything below it, by the parent that each process names. */
export function processTree(root: number): number[] {
  const children = Map.groupBy(allProcesses(), (pid) => parentOf(pid))
  const tree = [root]
  // The list grows while it is walked, one generation after the other.
  for (const pid of tree) tree.push(...(children.get(pid) ?? []))
  return tree
}

/** Parent of a process, or undefined when it has ended. */
export function parentOf(pid: number): number | undefined {
  // The name in brackets may hold anything; the fields after it are state and parent.
  const fields = read(`/proc/${pid}/stat`)?.split(') ').at(-1)?.split(' ')
  return fields?.[1] === undefined ? undefined : Number(fields[1])
}

/**
 * Proportional set size in MiB: memory shared by several processes (PostgreSQL's buffers, the program itself) counts
 * once, divided among them. Adding resident sizes would count the buffers once per connection.
 */
export function proportionalSize_mib(pids: readonly number[]): number {
  const kib = pids.map((pid) => Number(/^Pss:\s+(\d+) kB/m.exec(read(`/proc/${pid}/smaps_rollup`) ?? '')?.[1] ?? 0))
  return kib.reduce((sum, size) => sum + size, 0) / 1_024
}

function allProcesses(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}/schedstat`)
  } catch {
    // The process has ended.
    return []
  }
}

function firstNumberOf(path: string): number {
  return Number(read(path)?.split(' ')[0] ?? 0)
}

/** Undefined when the process, and with it the file, is gone. */
function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
