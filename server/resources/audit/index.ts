import { getSeal, listBatches, listEntries } from './read-audit.ts'

export type { AuditBatch } from './audit-batch.ts'
export type { AuditEntry } from './audit-entry.ts'
export { checkStored } from './chain.store.ts'
export { type ChainReport, createChainCheck, type KeptSeal } from './check-chain.ts'
export { createSealing, forgottenEntries } from './seal-entries.ts'

export const auditOperations = [listEntries, listBatches, getSeal]
