import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import {
  type Currency,
  currencies,
  decimalsOf,
  formatMoney,
  isCurrency,
  multiplyByRatio,
  parseMoney,
  trimDecimal,
} from './money.ts'

/** Minor units of an amount that the test knows to be well written */
function minorOf(text: string, currency: Currency): bigint {
  const money = parseMoney(text, currency)
  assert.ok('minor' in money, `${text} ${currency} is refused`)
  return money.minor
}

const anyCurrency = fc.constantFrom(...currencies)

describe('currencies', () => {
  test('164 are accepted, those whose minor unit is no power of ten are not', () => {
    assert.equal(currencies.length, 164)
    for (const code of ['MGA', 'MRU', 'eur', 'EURO', 'XXX', '', '__proto__', 'toString'])
      assert.ok(!isCurrency(code), code)
  })

  const decimals: [Currency, number][] = [
    ['EUR', 2],
    ['JPY', 0],
    ['CLP', 0],
    ['KWD', 3],
    ['CLF', 4],
    ['UYW', 4],
    ['HUF', 2],
    ['IDR', 2],
  ]
  for (const [currency, expected] of decimals) {
    test(`${currency} has ${expected} decimals`, () => assert.equal(decimalsOf(currency), expected))
  }
})

describe('parseMoney', () => {
  const accepted: [string, Currency, bigint, string][] = [
    ['4200.00', 'EUR', 420000n, '4200.00'],
    ['4200', 'EUR', 420000n, '4200.00'],
    ['4200.5', 'EUR', 420050n, '4200.50'],
    ['864000', 'JPY', 864000n, '864000'],
    ['882.607', 'KWD', 882607n, '882.607'],
    ['0', 'KWD', 0n, '0.000'],
    ['0.01', 'EUR', 1n, '0.01'],
    ['0.0001', 'CLF', 1n, '0.0001'],
    ['999999999999.99', 'EUR', 99999999999999n, '999999999999.99'],
    ['007.50', 'USD', 750n, '7.50'],
  ]
  for (const [text, currency, minor, canonical] of accepted) {
    test(`takes ${text} ${currency} and prints ${canonical}`, () => {
      assert.deepEqual(parseMoney(text, currency), { minor, currency })
      assert.equal(formatMoney(minor, currency), canonical)
    })
  }

  const refused: [string, string, Currency, string][] = [
    ['X1', '10.005', 'EUR', 'amount_precision'],
    ['X1', '1.0', 'JPY', 'amount_precision'],
    ['X1', '1.2345', 'KWD', 'amount_precision'],
    ['trailing zeros', '10.000', 'EUR', 'amount_precision'],
    ['13 integer digits', '1000000000000', 'EUR', 'validation_failed'],
    ['sign', '-1.00', 'EUR', 'validation_failed'],
    ['plus', '+1.00', 'EUR', 'validation_failed'],
    ['exponent', '1e3', 'EUR', 'validation_failed'],
    ['no integer part', '.50', 'EUR', 'validation_failed'],
    ['no fraction', '1.', 'EUR', 'validation_failed'],
    ['comma', '1,00', 'EUR', 'validation_failed'],
    ['space', ' 1.00', 'EUR', 'validation_failed'],
    ['line end', '1.00\n', 'EUR', 'validation_failed'],
    ['other digits', '١٢', 'EUR', 'validation_failed'],
    ['empty', '', 'EUR', 'validation_failed'],
  ]
  for (const [name, text, currency, code] of refused) {
    test(`refuses ${name}: ${JSON.stringify(text)} ${currency} as ${code}`, () => {
      const result = parseMoney(text, currency)
      assert.equal('code' in result && result.code, code)
    })
  }
})

test('an amount survives writing and reading in every currency', () => {
  fc.assert(
    fc.property(anyCurrency, fc.bigInt({ min: 0n, max: 10n ** 12n - 1n }), (currency, minor) => {
      assert.deepEqual(parseMoney(formatMoney(minor, currency), currency), { minor, currency })
    }),
  )
})

test('a negative amount carries its sign before the padded digits', () => {
  assert.equal(formatMoney(-5n, 'EUR'), '-0.05')
  assert.equal(formatMoney(-120n, 'JPY'), '-120')
})

describe('multiplyByRatio', () => {
  const vectors: [string, string, Currency, bigint, bigint, string][] = [
    ['P1', '4200.00', 'EUR', 17n, 31n, '2303.23'],
    ['P2', '4500.00', 'EUR', 13n, 28n, '2089.29'],
    ['P3', '3600.00', 'EUR', 16n, 31n, '1858.06'],
    ['P4', '21000.00', 'DKK', 12n, 14n, '18000.00'],
    ['P5', '3000.00', 'EUR', 0n, 22n, '0.00'],
    ['P6', '950.500', 'KWD', 26n, 28n, '882.607'],
    ['P6', '1850000', 'CLP', 20n, 31n, '1193548'],
    ['P6', '300000', 'JPY', 10n, 28n, '107143'],
    ['R1', '45.00', 'EUR', 362500n, 10000n, '1631.25'],
    ['R1', '33.33', 'EUR', 73333n, 10000n, '244.42'],
    ['R1', '0.10', 'EUR', 2500n, 10000n, '0.03'],
    ['R1', '48001', 'JPY', 15000n, 10000n, '72002'],
    ['R1', '12.345', 'KWD', 73333n, 10000n, '90.530'],
    ['V1', '33.33', 'CAD', 99750n, 1000000n, '3.32'],
    ['V1', '1505', 'JPY', 10n, 100n, '151'],
  ]
  for (const [name, amount, currency, numerator, denominator, expected] of vectors) {
    test(`${name}: ${amount} ${currency} × ${numerator}/${denominator} = ${expected}`, () => {
      assert.equal(formatMoney(multiplyByRatio(minorOf(amount, currency), numerator, denominator), currency), expected)
    })
  }

  test('halves move away from zero on both sides', () => {
    assert.deepEqual(
      [1n, 3n, -1n, -3n].map((minor) => multiplyByRatio(minor, 1n, 2n)),
      [1n, 2n, -1n, -2n],
    )
  })

  test('the result is never more than half a minor unit away from the exact value', () => {
    const amount = fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n })
    fc.assert(
      fc.property(
        amount,
        fc.bigInt({ min: 0n, max: 10n ** 9n }),
        fc.bigInt({ min: 1n, max: 10n ** 6n }),
        (minor, n, d) => {
          const twice_off = 2n * (multiplyByRatio(minor, n, d) * d - minor * n)
          assert.ok(twice_off <= d && twice_off >= -d)
        },
      ),
    )
  })

  test('a denominator of zero or less is a programming error', () => {
    assert.throws(() => multiplyByRatio(1n, 1n, 0n), RangeError)
    assert.throws(() => multiplyByRatio(1n, 1n, -2n), RangeError)
  })
})

test('decimals are printed without zeros that say nothing', () => {
  const cases = { '19': '19', '19.50': '19.5', '0.0000': '0', '09.975': '9.975', '100': '100', '00': '0' }
  for (const [text, printed] of Object.entries(cases)) assert.equal(trimDecimal(text), printed)
})
