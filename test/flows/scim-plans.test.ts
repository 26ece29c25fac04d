import assert from 'node:assert/strict'
import { test } from 'node:test'
import { install } from '../../bench/support/installation.ts'
import { createOrganization } from '../../bench/support/organization.ts'
import { fillPeople } from '../../bench/support/people.ts'
import { faultsOfFilters } from '../../bench/support/scim-plans.ts'

/** Many times what a look-up may read; `npm run bench scim` does the same with 1,000,000. */
const rows = 10_000

test('a look-up by userName or externalId and a window of lastModified read whom they find, and hardly anybody else', async () => {
  await using installation = await install({ STINT_ROLES: 'api' })
  const organization = await createOrganization(installation, 'Harbour Pine')
  await fillPeople(installation, organization.id, rows)
  assert.deepEqual(await faultsOfFilters(installation, organization), [])
})
