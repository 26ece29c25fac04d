import type pg from 'pg'
import { gauge } from './metrics.ts'

const watched = new Set<{ name: string; pool: pg.Pool }>()

/** From now on the metrics tell of this pool under its name, until it ends. Pools of one name are added up. */
export function watchPool(name: string, pool: pg.Pool): void {
  watched.add({ name, pool })
}

function* openPools() {
  for (const one of watched) {
    if (one.pool.ended) watched.delete(one)
    else yield one
  }
}

gauge('db_pool_connections', 'Connections to the database, by pool and state.', ['pool', 'state'], function () {
  this.reset()
  for (const { name, pool } of openPools()) {
    this.inc({ pool: name, state: 'idle' }, pool.idleCount)
    this.inc({ pool: name, state: 'used' }, pool.totalCount - pool.idleCount)
  }
})
gauge('db_pool_connections_max', 'Connections that a pool may have.', ['pool'], function () {
  this.reset()
  for (const { name, pool } of openPools()) this.inc({ pool: name }, pool.options.max)
})
gauge('db_pool_waiting', 'Transactions that wait for a connection of their pool.', ['pool'], function () {
  this.reset()
  for (const { name, pool } of openPools()) this.inc({ pool: name }, pool.waitingCount)
})
