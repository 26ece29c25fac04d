import type { Wake } from './room.ts'

/** The workers of this process. */
export interface LocalWorkers {
  /** False when these deliveries are better told to other processes. */
  due(subscription_ids: readonly string[]): boolean
  changed(subscription_id: string): void
}

/** Hands signals to the workers of this process, or to those of others where this one has none that are free. */
export function createWake(others: (subscription_ids: readonly string[]) => unknown) {
  let local: LocalWorkers | null = null
  const wake: Wake = {
    due(subscription_ids) {
      if (!local?.due(subscription_ids)) others(subscription_ids)
    },
    changed: (subscription_id) => local?.changed(subscription_id),
  }
  const connect = (workers: LocalWorkers) => {
    local = workers
  }
  return { wake, connect }
}
