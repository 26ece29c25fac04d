import { advanceClock, clockTarget, getClock } from './clock.ts'
import { resetSandbox } from './reset.ts'

export const sandboxOperations = [getClock, advanceClock, resetSandbox]
export const sandboxTimers = [clockTarget]
