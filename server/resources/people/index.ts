import { hasDependents } from '#core/problems.ts'
import { on } from '#core/reaction.ts'
import { departmentRemoving } from '#resources/departments/index.ts'
import { workingLocationRemoving } from '#resources/working-locations/index.ts'
import { removeBankAccount, setBankAccount, setOwnBankAccount } from './bank-account.ts'
import { createWorkerToken } from './create-worker-token.ts'
import { getProfile, getSelf, updateProfile } from './own-person.ts'
import { standardPeopleOperations } from './people.ts'
import { isNamedByPerson } from './person.store.ts'
import { personEvents, personRemoving } from './person.ts'

export const peopleOperations = [
  ...standardPeopleOperations,
  getSelf,
  setBankAccount,
  removeBankAccount,
  createWorkerToken,
  getProfile,
  updateProfile,
  setOwnBankAccount,
]

on(personRemoving, {
  place: 1,
  emits: [],
  async react(row, { tx }) {
    if (await isNamedByPerson(tx, 'manager_id', row)) throw hasDependents('Other people report to this person.')
  },
})

export const { created: personCreated, updated: personUpdated } = personEvents

on(departmentRemoving, {
  place: 1,
  emits: [],
  async react(row, { tx }) {
    if (await isNamedByPerson(tx, 'department_id', row)) throw hasDependents('People belong to this department.')
  },
})

on(workingLocationRemoving, {
  place: 1,
  emits: [],
  async react(row, { tx }) {
    if (await isNamedByPerson(tx, 'working_location_id', row)) throw hasDependents('People work at this location.')
  },
})

export { defineStep, type Step } from './audience.ts'
export { person, personRemoving, statusEntry, workerOf } from './person.ts'
export { insertWorker, lockWorker, type Worker, writeStatus } from './worker.store.ts'
