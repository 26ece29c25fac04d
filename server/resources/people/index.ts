import { createWorkerToken } from './create-worker-token.ts'
import { getPerson, getSelf, listPeople } from './read-people.ts'

export const peopleOperations = [listPeople, getSelf, getPerson, createWorkerToken]

export { defineStep, type Step } from './audience.ts'
export { person, personCreated, personUpdated, statusEntry, workerOf } from './person.ts'
export { insertWorker, lockWorker, type Worker, writeStatus } from './worker.store.ts'
