import { defineProblem } from '#core/problems.ts'

export const openAmendmentExists = defineProblem({
  code: 'open_amendment_exists',
  status: 409,
  title: 'The contract has an open amendment',
  advice: 'Sign or withdraw the amendment that is initial or pending first.',
})
export const effectiveDateTaken = defineProblem({
  code: 'effective_date_taken',
  status: 409,
  title: 'An approved amendment takes effect on that date',
  advice: 'Choose another effective_date.',
})
export const nothingToChange = defineProblem({
  code: 'nothing_to_change',
  status: 422,
  title: 'The amendment would change nothing',
  advice: 'Send terms that differ from those in force.',
})
export const effectiveDateNotCycleStart = defineProblem({
  code: 'effective_date_not_cycle_start',
  status: 422,
  title: 'The terms change with a payment cycle only',
  advice: 'Choose the first day of a payment cycle, or leave effective_date out.',
})
