import { createWorkerToken } from './create-worker-token.ts'
import { personCreated, personUpdated } from './events.ts'
import { getPerson } from './get-person.ts'
import { getSelf } from './get-self.ts'
import { listPeople } from './list-people.ts'

export const peopleOperations = [listPeople, getSelf, getPerson, createWorkerToken]
export const peopleEvents = [personCreated, personUpdated]

export { personCreated, personEntry, personUpdated } from './events.ts'
export { insertWorker, localeOf, lockWorker, personExists, writeStatus } from './person.store.ts'
export { type Worker, workerOf } from './person.ts'
