import assert from 'node:assert/strict'
import { cases } from '#test/cases.ts'
import { createContract } from '#test/factories.ts'
import type { TestService } from '#test/service.ts'

const make = async (t: TestService, body: object = {}) => {
  const made = await t.call('POST', '/teams', { body: { name: 'Platform', ...body } })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return { ...made.body, team_id: made.body.id }
}

cases('teams.create', {
  'a team is stored, empty': {
    input: { name: 'Platform', external_id: 'team-1' },
    body: { name: 'Platform', external_id: 'team-1', member_count: 0, deleted_at: null },
    emits: [['team.created', { name: 'Platform', external_id: 'team-1' }]],
    audit: { subject_kind: 'teams' },
  },
  'the name of a deleted team is free': {
    given: async (t) => t.call('DELETE', `/teams/${(await make(t)).id}`),
    input: { name: 'Platform' },
    emits: ['team.created'],
  },
})

cases('teams.list', {
  'teams are found by their words': {
    given: async (t) => {
      await make(t)
      return make(t, { name: 'Product Design' })
    },
    input: { search: 'des' },
    body: ({ id }) => ({ data: [{ id, name: 'Product Design' }], total_count: 1 }),
  },
})

cases('teams.get', {
  'a team is read': { given: (t) => make(t), body: ({ id }) => ({ id, name: 'Platform' }) },
  'a deleted one is not': {
    given: async (t) => {
      const made = await make(t)
      await t.call('DELETE', `/teams/${made.id}`)
      return made
    },
    answers: '404 not_found',
  },
})

cases('teams.update', {
  'a team is renamed': {
    given: (t) => make(t),
    input: { name: 'Core', external_id: null },
    body: { name: 'Core' },
    emits: [['team.updated', { name: 'Core', changed_fields: ['name'] }]],
    audit: { changed_fields: ['name'] },
  },
  'the same name changes nothing': { given: (t) => make(t), input: { name: 'Platform' }, audit: null },
})

const withContract = async (t: TestService) => {
  const made = await make(t)
  const contract = await createContract(t, { team_id: made.id })
  return { ...made, contract }
}

cases('teams.delete', {
  'a team is deleted and found no more': {
    given: (t) => make(t),
    emits: ['team.deleted'],
    afterwards: async (t, { given }) => {
      assert.equal((await t.call('GET', '/teams')).body.total_count, 0)
      const { body } = await t.call('GET', '/teams', { query: { include_deleted: true } })
      assert.deepEqual([body.data[0].id, body.data[0].deleted_at === null], [given.id, false])
    },
  },
  'a pending contract keeps its team': { given: withContract, answers: '409 has_dependents' },
  'an ended contract does not': {
    given: async (t) => {
      const made = await withContract(t)
      await t.call('POST', `/contracts/${made.contract.id}/cancel`)
      return made
    },
    emits: ['team.deleted'],
  },
})
