export {
  holdLegalEntity,
  insertDefaultLegalEntity,
  type LegalEntityRef,
  legalEntityExists,
} from './legal-entity.store.ts'
