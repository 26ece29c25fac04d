const form = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })

/** A moment of business, in UTC: how long ago it was by the clock on the wall means nothing. */
export const momentOf = (time: string) => `${form.format(new Date(time))} UTC`
