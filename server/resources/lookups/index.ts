import { defineOperation } from '#core/operation.ts'
import { Closed, Country, CurrencyCode, PageInput, PageOf, TimeZone, Type } from '#core/schema/schema.ts'
import { countries, currencies, decimalsOf, timeZones } from '#core/values.ts'

const constant = { method: 'GET', scopes: [], input: Closed(PageInput) } as const

/** Made at the first call: languages and time zones cost a start some milliseconds. */
const later = <Row>(make: () => Row[]) => {
  let rows: Row[] | undefined
  return () => {
    rows ??= make()
    return rows
  }
}

const named = later(() => {
  const names = new Intl.DisplayNames(['en'], { type: 'region' })
  return countries.map((code) => ({ code, name: names.of(code) ?? code }))
})
const zones = later(() => timeZones().map((name) => ({ name })))

export const lookupOperations = [
  defineOperation({
    ...constant,
    id: 'lookups.countries',
    summary: 'List the countries that fields take',
    path: '/lookups/countries',
    output: PageOf(Type.Object({ code: Country, name: Type.String({ example: 'Germany' }) })),
    handle: async (_, { pageOf }) => pageOf(named(), ({ code }) => code),
  }),
  defineOperation({
    ...constant,
    id: 'lookups.currencies',
    summary: 'List the currencies that fields take',
    path: '/lookups/currencies',
    output: PageOf(Type.Object({ code: CurrencyCode, decimals: Type.Integer({ minimum: 0, example: 2 }) })),
    handle: async (_, { pageOf }) =>
      pageOf(
        currencies.map((code) => ({ code, decimals: decimalsOf(code) })),
        ({ code }) => code,
      ),
  }),
  defineOperation({
    ...constant,
    id: 'lookups.time_zones',
    summary: 'List the time zones that fields take',
    description: 'The current names; fields also take their older spellings.',
    path: '/lookups/time-zones',
    output: PageOf(Type.Object({ name: TimeZone })),
    handle: async (_, { pageOf }) => pageOf(zones(), ({ name }) => name),
  }),
]
