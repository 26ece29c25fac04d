import { stint } from '../../lib/service.ts'
import { firstPage, useAnswer } from '../../lib/use-answer.ts'
import { useMe } from '../me.tsx'
import { daysWords } from './words.ts'

interface BalanceProps {
  person_id: string
  policy_id: string
  /** A day of the year that is asked for. */
  date: string
}

const rows_max = 100

/** The days that a person has left under a policy, in the year of a day. */
export function Balance({ person_id, policy_id, date }: BalanceProps) {
  const { sees } = useMe()
  const year = Number(date.slice(0, 4))
  const isAsked = sees('health_and_leave') && year >= 2000 && year <= 2100
  const { value } = useAnswer(
    firstPage(stint.time_offs.list_entitlements),
    isAsked ? { person_id, year, limit: rows_max } : null,
  )
  const found = value?.data.find(
    (row) => row.policy?.id === policy_id && row.person_id === person_id && row.period_start.startsWith(`${year}`),
  )
  if (!found) return null
  const { allowance, available, policy } = found
  return (
    <p className="hint" role="status">
      {available === null || allowance === null
        ? `${policy?.name} has no limit of days.`
        : `${daysWords(available)} of ${allowance} available in ${year}; requests that wait are taken off already.`}
    </p>
  )
}
