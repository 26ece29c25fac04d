import { stint } from '../../lib/service.ts'
import { useAnswer } from '../../lib/use-answer.ts'

/** The worker's own data. */
export const useProfile = () => useAnswer(stint.worker.get_profile, {})
