import { Closed, Country, Nullable, Text, Type } from './schema.ts'

export const Address = Closed({
  line_1: Text(1, 200, { example: 'Uferstraße 8' }),
  line_2: Type.Optional(Nullable(Text(0, 200))),
  city: Text(1, 100, { example: 'Berlin' }),
  region: Type.Optional(Nullable(Text(0, 100))),
  postal_code: Type.Optional(Nullable(Text(0, 20))),
  country: Country,
})
