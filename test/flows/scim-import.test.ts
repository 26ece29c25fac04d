import { test } from 'node:test'
import { importAndPatch } from '#test/scim-import.ts'
import { useTestService } from '#test/service.ts'
import { verifies } from '#test/verifies.ts'

test('an import page by page and PATCHes in parallel lose and double nothing', async (t) => {
  const service = await useTestService(t, { STINT_RATE_LIMIT_SCIM: '1000000' })
  const { id: organization_id, token } = service.organization
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' }
  await importAndPatch(
    async (method, path, body) => {
      const payload = body && { payload: JSON.stringify(body) }
      const answer = await service.app.inject({ method, url: `/scim/v2${path}`, headers, ...payload })
      return { status: answer.statusCode, body: answer.json() }
    },
    { database: service.database.database, organization_id },
    300,
    120,
  )
  verifies('1.scim').equal((await service.call('GET', '/people')).body.total_count, 300)
})
