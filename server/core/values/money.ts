import * as table from 'dinero.js/currencies'

type Table = typeof table

/** ISO 4217 code whose minor unit is a power of ten: dinero.js' table without MGA and MRU, whose unit is a fifth */
export type Currency = { [Code in keyof Table]: Table[Code]['base'] extends 10 ? Code : never }[keyof Table]

/** An exact amount in minor units: `{ minor: 420000n, currency: 'EUR' }` is 4200.00 EUR */
export type Money = { readonly minor: bigint; readonly currency: Currency }

/** `validation_failed` (400): not a plain decimal or too long; `amount_precision` (422): more decimals than the currency has */
export type MoneyRefusal = { readonly code: 'validation_failed' | 'amount_precision'; readonly message: string }

export const integer_digits_max = 12

/** The form of any currency's amount on input, a pattern for schemas; the decimals are the currency's business */
export const money_pattern = `^[0-9]{1,${integer_digits_max}}(\\.[0-9]{1,20})?$`

const plain_decimal = new RegExp(money_pattern)

const decimals_by_currency: ReadonlyMap<string, number> = new Map(
  Object.values(table)
    .filter(({ base }) => base === 10)
    .map(({ code, exponent }) => [code, exponent]),
)

/** The 164 accepted codes, in alphabetical order */
// The filter above keeps exactly the codes that the type names; a map's keys cannot carry that knowledge.
export const currencies = [...decimals_by_currency.keys()].sort() as readonly string[] as readonly Currency[]

export function isCurrency(code: string): code is Currency {
  return decimals_by_currency.has(code)
}

/** Digits after the point: 2 for EUR, 0 for CLP, 3 for KWD, 4 for CLF. Never from Intl, which says 0 for a dozen of them */
export function decimalsOf(currency: Currency): number {
  const decimals = decimals_by_currency.get(currency)
  if (decimals === undefined) throw new RangeError(`${currency} is not an accepted currency`)
  return decimals
}

/**
 * Reads an amount as callers write it: at most 12 integer digits and no more decimals than the currency has, trailing
 * zeros included ("1.0" JPY is refused). Neither sign nor exponent.
 */
export function parseMoney(text: string, currency: Currency): Money | MoneyRefusal {
  if (!plain_decimal.test(text)) {
    const example = formatMoney(1500n, currency)
    return {
      code: 'validation_failed',
      message: `must be a decimal string with at most ${integer_digits_max} integer digits, such as "${example}"`,
    }
  }
  const [integer = '', fraction = ''] = text.split('.')
  const decimals = decimalsOf(currency)
  if (fraction.length > decimals) {
    const allowed = decimals === 0 ? 'no decimals' : `at most ${decimals} decimals`
    return { code: 'amount_precision', message: `must have ${allowed}: ${currency} has no smaller unit` }
  }
  return { minor: BigInt(integer + fraction.padEnd(decimals, '0')), currency }
}

/** The canonical text on the wire and in rows, always with the currency's decimals: "4200.00", "864000", "-0.05" */
export function formatMoney(minor: bigint, currency: Currency): string {
  const decimals = decimalsOf(currency)
  const sign = minor < 0n ? '-' : ''
  const digits = String(minor < 0n ? -minor : minor).padStart(decimals + 1, '0')
  const point = digits.length - decimals
  return decimals === 0 ? sign + digits : `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
}

/** `minor` × `numerator` ÷ `denominator`, rounded once, half away from zero. The denominator is positive. */
export function multiplyByRatio(minor: bigint, numerator: bigint, denominator: bigint): bigint {
  if (denominator <= 0n) throw new RangeError('the denominator must be positive')
  const product = minor * numerator
  const magnitude = product < 0n ? -product : product
  const rounded = (2n * magnitude + denominator) / (2n * denominator)
  return product < 0n ? -rounded : rounded
}

/** A decimal number without the zeros that say nothing: "019.50" is "19.5"; how quantities and percents are printed */
export function trimDecimal(text: string): string {
  const [integer = '', fraction = ''] = text.split('.')
  const decimals = fraction.replace(/0+$/, '')
  return `${integer.replace(/^0+(?=\d)/, '')}${decimals === '' ? '' : `.${decimals}`}`
}
