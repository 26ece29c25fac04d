const form = new Intl.DateTimeFormat('en-GB', {
  ...{ day: 'numeric', month: 'short', year: 'numeric' },
  ...{ hour: '2-digit', minute: '2-digit', timeZoneName: 'short' },
})

/** A moment of business, in the zone in which the pages show it, and with its name: the clock is compared with them. */
export const momentOf = (time: string) => form.format(new Date(time))
