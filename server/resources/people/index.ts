import { createWorkerToken } from './create-worker-token.ts'
import { getPerson, getSelf } from './get-person.ts'
import { listPeople } from './list-people.ts'

export const peopleOperations = [listPeople, getSelf, getPerson, createWorkerToken]

export { type Audience, openTo, ownRows } from './audience.ts'
export { personCreated, personUpdated, statusEntry } from './events.ts'
export { person, workerOf } from './person.ts'
export { insertWorker, lockWorker, type Worker, writeStatus } from './worker.store.ts'
