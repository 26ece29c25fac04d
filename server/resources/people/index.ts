import { refuseWhileNamed } from '#core/dependents.ts'
import { departmentRemoving } from '#resources/departments/index.ts'
import { workingLocationRemoving } from '#resources/working-locations/index.ts'
import { removeBankAccount, setBankAccount, setOwnBankAccount } from './bank-account.ts'
import { blockAccess } from './block-access.ts'
import { createWorkerToken } from './create-worker-token.ts'
import { erasePerson } from './erase-person.ts'
import { getProfile, getSelf, updateProfile } from './own-person.ts'
import { standardPeopleOperations } from './people.ts'
import { standing_people } from './person.store.ts'
import { personEvents, personRemoving } from './person.ts'

export const peopleOperations = [
  ...standardPeopleOperations,
  getSelf,
  setBankAccount,
  removeBankAccount,
  blockAccess,
  erasePerson,
  createWorkerToken,
  getProfile,
  updateProfile,
  setOwnBankAccount,
]

refuseWhileNamed(personRemoving, {
  ...{ place: 1, ...standing_people, column: 'manager_id' },
  detail: 'Other people report to this person.',
})

export const { created: personCreated, updated: personUpdated } = personEvents

refuseWhileNamed(departmentRemoving, {
  ...{ place: 1, ...standing_people, column: 'department_id' },
  detail: 'People belong to this department.',
})

refuseWhileNamed(workingLocationRemoving, {
  ...{ place: 1, ...standing_people, column: 'working_location_id' },
  detail: 'People work at this location.',
})

export { alsoErase, erasedActor, erasedName, erasedReason, inColumn } from './also-erase.ts'
export { defineStep, type Step } from './audience.ts'
export { addressBook, contracts_of_person, emailsOf, keptEntries, keptText, ownFieldsFrom } from './entries.ts'
export { giveLogin } from './give-login.ts'
export {
  type PersonRow,
  person,
  personErasing,
  personRemoving,
  statusEntry,
  worker_email,
  worker_name,
  worker_reference,
  workerOf,
} from './person.ts'
export { provisioned_people } from './provision-person.store.ts'
export { type Provision, provisionedPeople } from './provision-person.ts'
export { provisionedTeams } from './provision-team.ts'
export { insertWorker, lockWorker, type Worker, writeStatus } from './worker.store.ts'
