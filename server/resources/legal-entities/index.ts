export { holdDefaultLegalEntity } from './legal-entity.store.ts'
export { insertDefaultLegalEntity, legalEntity } from './legal-entity.ts'
