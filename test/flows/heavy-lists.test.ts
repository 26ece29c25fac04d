import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fillHeavyLists } from '../../bench/support/heavy-lists.ts'
import { install } from '../../bench/support/installation.ts'
import { createOrganization } from '../../bench/support/organization.ts'
import { faultsOfLists } from '../../bench/support/plans.ts'

/** More than a page and its total read; `npm run bench lists` does the same with 1,000,000. */
const rows = 15_000

test('every heavy list reads, by its order and its main filters, no more rows than a page and its total need', async () => {
  await using installation = await install({ STINT_ROLES: 'api' })
  const organization = await createOrganization(installation, 'Harbour Pine')
  await fillHeavyLists(installation, organization.id, rows)
  assert.deepEqual(
    await faultsOfLists(
      installation,
      organization,
      'set local enable_seqscan = off; set local enable_bitmapscan = off',
    ),
    [],
  )
})
