export const leave_types = [
  { value: 'vacation', words: 'Vacation' },
  { value: 'sick', words: 'Sick leave' },
  { value: 'parental', words: 'Parental leave' },
  { value: 'family', words: 'Family leave' },
  { value: 'public_duty', words: 'Public duty' },
  { value: 'unpaid', words: 'Unpaid leave' },
  { value: 'other', words: 'Other' },
] as const

export const leaveWords = (type: string) => leave_types.find(({ value }) => value === type)?.words ?? type

/** `1 day`, `27.5 days`. */
export const daysWords = (days: string) => (days === '1' ? '1 day' : `${days} days`)
