import { inspectWebhooks, releaseDelivery } from '#operator/inspection.ts'
import { type Invariant, invariants } from '#webhooks/inspection.store.ts'
import { type Command, exitStatus, print, textFlag, UsageError } from '../command.ts'
import { withStorage } from '../operator.ts'

const hours_default = 24
const hours_max = 8_784
/** A transaction may have begun so long before its change was seen. */
const concurrent_s = 60

export const webhooksCheck: Command = {
  usage: '[--hours <n>]',
  options: { 'hours <n>': `Look at events of the last hours, 1 to ${hours_max} (default ${hours_default}).` },
  examples: ['webhooks check', 'webhooks check --hours 168 --json'],
  exits: { [exitStatus.failed]: 'a promise is broken, or the check failed' },
  async run(flags) {
    const hours = Number(textFlag(flags, 'hours') ?? hours_default)
    if (!Number.isInteger(hours) || hours < 1 || hours > hours_max)
      throw new UsageError(`--hours must be a whole number from 1 to ${hours_max}`)
    const findings = await withStorage(({ database }) =>
      inspectWebhooks(database, { hours, concurrent_s, rows_max: null }),
    )
    print(
      flags,
      findings,
      findings.map(({ invariant, count, examples }) => line(invariant, count, examples)),
    )
    return findings.every(({ count }) => count === 0) ? exitStatus.ok : exitStatus.failed
  },
}

const line = (invariant: Invariant, count: number, examples: readonly string[]) =>
  count === 0
    ? `holds   ${invariants[invariant].words}`
    : `BROKEN  ${invariants[invariant].words}: ${count} not so, such as ${examples.join(', ')}`

export const webhooksRelease: Command = {
  usage: '<delivery id>',
  examples: ['webhooks release 019cadd4-c134-7a0c-8e1f-27b9c3d45e60'],
  words_max: 1,
  async run(flags, words) {
    const [id] = words
    if (!id || !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id))
      throw new UsageError('name one delivery by its id')
    await withStorage(({ database }) => releaseDelivery(database, id))
    print(flags, { released: id }, [`delivery ${id} is sent again within a second by any running worker`])
    return exitStatus.ok
  },
}
