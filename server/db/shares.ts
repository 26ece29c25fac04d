import { DatabaseUnavailable } from './errors.ts'

/** As long as for a free connection. */
const wait_ms_max = 5_000

interface Share {
  running: number
  waiting: Set<() => void>
}

/**
 * One organization holds two thirds of the connections at most; its further transactions wait in order, in memory, and
 * give up after 5 s. So whatever one of them waits for behind a lock, others are served.
 */
export function createShares(connections_max: number) {
  const running_max = Math.max(1, connections_max - Math.max(1, Math.floor(connections_max / 3)))
  const shares = new Map<string, Share>()
  return async <Result>(organization_id: string, work: () => Promise<Result>): Promise<Result> => {
    const own = shares.get(organization_id) ?? { running: 0, waiting: new Set() }
    shares.set(organization_id, own)
    if (own.running < running_max) own.running += 1
    else await turnIn(own)
    try {
      return await work()
    } finally {
      const [next] = own.waiting
      // The place goes to the next who waits, without being free in between.
      if (next) next()
      else if (own.running > 1) own.running -= 1
      else shares.delete(organization_id)
    }
  }
}

function turnIn({ waiting }: Share): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      clearTimeout(timer)
      waiting.delete(begin)
    }
    const begin = () => {
      leave()
      resolve()
    }
    const timer = setTimeout(() => {
      leave()
      reject(new DatabaseUnavailable('the organization holds its share of the connections already'))
    }, wait_ms_max)
    waiting.add(begin)
  })
}
