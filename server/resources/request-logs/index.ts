export { createRequestWeeks, forgottenRequests } from './forget-requests.ts'
export {
  type AnsweredRequest,
  type AnsweredRequests,
  body_bytes_max,
  createRequestKeeper,
  waiting_max,
} from './keep-requests.ts'
export { mayReadRequests, requestLogOperations } from './read-requests.ts'
export { requestsByEnd } from './request-log.store.ts'
