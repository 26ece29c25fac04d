import { createContract } from './create-contract.ts'
import { contractEvents } from './events.ts'
import { getContract } from './get-contract.ts'
import { listContracts } from './list-contracts.ts'

export const contractOperations = [listContracts, createContract, getContract]
export { findContract } from './contract.store.ts'

export type { ContractRow, ContractStatus } from './contract.ts'
export {
  type Cycle,
  type CycleSettings,
  cycleSettings,
  cyclesFrom,
  isCycleStart,
  nextCycleStart,
} from './cycle-calendar.ts'
export { contractEntry, contractEntryFields, contractExample } from './events.ts'
export { alreadySigned, invalidTerms, termsProblem } from './problems.ts'
export {
  type AmendableTerm,
  amendable_terms,
  applyTermsChange,
  type ContractTerms,
  type ContractType,
  diffTerms,
  isCycleTerm,
  type Scale,
  type TermsChange,
  type TermsDifference,
  type TermsRefusal,
} from './terms.ts'
export { contractEvents }
