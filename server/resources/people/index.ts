import { personCreated, personUpdated } from './events.ts'

export const peopleOperations = []
export const peopleEvents = [personCreated, personUpdated]

export { personCreated, personEntry, personUpdated } from './events.ts'
export type { NewWorker } from './person.store.ts'
export { insertWorker, lockWorker, personExists, writeStatus } from './person.store.ts'
export type { Worker } from './person.ts'
