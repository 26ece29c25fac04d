/** In the order in which they are used most. */
export const adjustment_types = [
  { value: 'bonus', words: 'Bonus' },
  { value: 'expense', words: 'Expense' },
  { value: 'deduction', words: 'Deduction' },
  { value: 'commission', words: 'Commission' },
  { value: 'overtime', words: 'Overtime' },
  { value: 'milestone', words: 'Milestone' },
  { value: 'other', words: 'Other' },
] as const

export const typeWords = (type: string) => adjustment_types.find(({ value }) => value === type)?.words ?? type
