export { insertDefaultLegalEntity, legalEntity } from './legal-entity.ts'
