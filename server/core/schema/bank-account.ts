import { Closed, Country, CurrencyCode, Nullable, Text, Type } from './schema.ts'

const needs = (field: string) => ({ properties: { [field]: { type: 'string' } }, required: [field] })

/** Names the account that money is sent to: by IBAN, or by number where there are none. */
export const BankAccount = Closed(
  {
    holder_name: Text(1, 140, { example: 'Jonas Weber' }),
    country: Country,
    currency: CurrencyCode,
    bank_name: Type.Optional(Nullable(Text(0, 140))),
    bic: Type.Optional(Nullable(Text(8, 11))),
    routing_code: Type.Optional(Nullable(Text(1, 34))),
    iban: Type.Optional(
      Nullable(Type.String({ format: 'iban', maxLength: 34, trim: true, example: 'DE02120300000000202051' })),
    ),
    account_number: Type.Optional(Nullable(Text(1, 34))),
  },
  { description: 'Exactly one of iban and account_number.', oneOf: [needs('iban'), needs('account_number')] },
)
