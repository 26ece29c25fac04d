export { deleteSessionsOfUser, type Session } from './session.store.ts'
export { beginSession, currentSession, endSession } from './session.ts'
export { endedCookie } from './session-cookie.ts'
