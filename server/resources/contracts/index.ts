import { createContract } from './create-contract.ts'
import { contractEvents } from './events.ts'
import { getContract } from './get-contract.ts'
import { listContracts } from './list-contracts.ts'

export const contractOperations = [listContracts, createContract, getContract]
export { findContract } from './contract.store.ts'

export { type ContractRow, type ContractStatus, contract_statuses } from './contract.ts'
export { amendableFields } from './contract-schema.ts'
export {
  type Cycle,
  type CycleSettings,
  cycle_end_types,
  cycleSettings,
  cyclesFrom,
  frequencies,
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
  contract_types,
  diffTerms,
  isCycleTerm,
  prorations,
  type Scale,
  scales,
  type TermsChange,
  type TermsDifference,
  type TermsRefusal,
} from './terms.ts'
export { contractEvents }
