import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cases, serviceOfCases } from '#test/cases.ts'
import { type Body, createContract, setPerson } from '#test/factories.ts'
import { inOrganization, type TestService } from '#test/service.ts'

const make = async (t: TestService, body: object = {}): Promise<Body> => {
  const made = await t.call('POST', '/departments', { body: { name: 'Engineering', ...body } })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return { ...made.body, department_id: made.body.id }
}

/** Departments below one another, the top one first. */
const line = async (t: TestService, levels: number): Promise<Body[]> => {
  const made: Body[] = []
  for (let level = 1; level <= levels; level += 1) {
    made.push(await make(t, { name: `Level ${level}`, parent_id: made.at(-1)?.id ?? null }))
  }
  return made
}

cases('departments.create', {
  'a department stands below another': {
    given: (t) => make(t),
    input: ({ id }) => ({ name: 'Backend', parent_id: id, external_id: 'be' }),
    body: ({ id }) => ({ name: 'Backend', parent: { id, name: 'Engineering' }, external_id: 'be', people_count: 0 }),
    emits: ({ id }) => [['department.created', { name: 'Backend', parent_id: id, external_id: 'be' }]],
  },
  'a name is used once below a department': {
    given: async (t) => {
      const above = await make(t)
      await make(t, { name: 'Backend', parent_id: above.id })
      return above
    },
    input: ({ id }) => ({ name: 'Backend', parent_id: id }),
    answers: '409 name_in_use',
    errors: ['/name'],
  },
  'the same name stands at another place': {
    given: (t) => make(t),
    input: ({ id }) => ({ name: 'Engineering', parent_id: id }),
    emits: ['department.created'],
  },
  'a deleted parent is none': {
    given: async (t) => {
      const made = await make(t)
      await t.call('DELETE', `/departments/${made.id}`)
      return made
    },
    input: ({ id }) => ({ name: 'Backend', parent_id: id }),
    answers: '422 reference_not_found',
    errors: ['/parent_id'],
  },
  'a tenth level is the last': {
    given: async (t) => ({ deepest: (await line(t, 9)).at(-1)?.id }),
    input: ({ deepest }) => ({ name: 'Level 10', parent_id: deepest }),
    emits: ['department.created'],
  },
  'an eleventh level is refused': {
    given: async (t) => ({ deepest: (await line(t, 10)).at(-1)?.id }),
    input: ({ deepest }) => ({ name: 'Level 11', parent_id: deepest }),
    answers: '422 hierarchy_cycle',
    errors: ['/parent_id'],
  },
})

cases('departments.list', {
  'those below one are listed': {
    given: async (t) => {
      const above = await make(t)
      return make(t, { name: 'Backend', parent_id: above.id })
    },
    input: ({ parent }) => ({ parent_id: parent.id }),
    body: ({ id }) => ({ data: [{ id, name: 'Backend' }], total_count: 1 }),
  },
  'an unknown parent is refused': {
    input: () => ({ parent_id: crypto.randomUUID() }),
    answers: '422 reference_not_found',
  },
})

cases('departments.get', {
  'its people are counted': {
    given: async (t) => {
      const made = await make(t)
      for (const deleted_at of [null, '2026-03-01T00:00:00Z']) {
        const { worker_id } = await createContract(t)
        await setPerson(t, worker_id, { department_id: made.id, deleted_at })
      }
      return made
    },
    body: { people_count: 1, parent: null },
  },
})

cases('departments.update', {
  'a department moves to the top': {
    given: async (t) => make(t, { name: 'Backend', parent_id: (await make(t)).id }),
    input: { parent_id: null },
    body: { parent: null },
    emits: [['department.updated', { parent_id: null, changed_fields: ['parent_id'] }]],
    audit: { changed_fields: ['parent_id'] },
  },
  'nothing stands below itself': {
    given: (t) => make(t),
    input: ({ id }) => ({ parent_id: id }),
    answers: '422 hierarchy_cycle',
    errors: ['/parent_id'],
  },
  'nothing stands below what is below it': {
    given: async (t) => {
      const [top, , lowest] = await line(t, 3)
      return { ...top, lowest }
    },
    input: ({ lowest }) => ({ parent_id: lowest.id }),
    answers: '422 hierarchy_cycle',
  },
  'a move counts what is below': {
    given: async (t) => {
      const deepest = (await line(t, 9)).at(-1)
      const moved = await make(t, { name: 'Moved' })
      await make(t, { name: 'Below', parent_id: moved.id })
      return { ...moved, deepest }
    },
    input: ({ deepest }) => ({ parent_id: deepest.id }),
    answers: '422 hierarchy_cycle',
  },
  'an unknown parent is refused': {
    given: (t) => make(t),
    input: () => ({ parent_id: crypto.randomUUID() }),
    answers: '422 reference_not_found',
  },
})

cases('departments.delete', {
  'a department is deleted, and its name is free': {
    given: (t) => make(t),
    emits: ['department.deleted'],
    afterwards: async (t) => void (await make(t)),
  },
  'one with people stays': {
    given: async (t) => {
      const made = await make(t)
      const { worker_id } = await createContract(t)
      await setPerson(t, worker_id, { department_id: made.id })
      return made
    },
    answers: '409 has_dependents',
  },
  'one with departments below it stays': {
    given: async (t) => line(t, 2).then(([top]) => top),
    answers: '409 has_dependents',
  },
})

test('of two moves that make a circle together one is refused', async () => {
  const service = await serviceOfCases()
  const t = inOrganization(service, await service.createOrganization({ is_sandbox: false }))
  for (let round = 0; round < 5; round += 1) {
    const [a, b] = [await make(t, { name: `A ${round}` }), await make(t, { name: `B ${round}` })]
    const move = (one: Body, below: Body) =>
      t.call('PATCH', `/departments/${one.id}`, { body: { parent_id: below.id } })
    const answers = await Promise.all([move(a, b), move(b, a)])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 422])
  }
})
