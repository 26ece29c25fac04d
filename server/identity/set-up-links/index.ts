export { anyAccount, lockAccounts } from './set-up-link.store.ts'
export { createSetUpLink, findSetUpLink, type SetUpLink, spendSetUpLink } from './set-up-link.ts'
