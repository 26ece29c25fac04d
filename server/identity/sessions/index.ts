export { deleteSessionsOfUser, type Session } from './session.store.ts'
export { beginSession, currentSession, endedCookie, endSession } from './session.ts'
