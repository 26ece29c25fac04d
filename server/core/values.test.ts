import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import {
  addDays,
  businessDate,
  type Currency,
  canonicalLocale,
  countries,
  currencies,
  daysBetween,
  decimalsOf,
  faultOfLine,
  faultOfLines,
  formatMoney,
  idPattern,
  isCountry,
  isCurrency,
  isDate,
  isEmail,
  isTimeZone,
  multiplyByRatio,
  newId,
  parseMoney,
  startOfDay,
  text_messages,
  tidy,
  trimDecimal,
  utcOf,
  weekdayOf,
} from './values.ts'

test('an id is a lower-case UUIDv7 of its moment', () => {
  const at_ms = Date.parse('2026-03-02T09:00:00.123Z')
  const id = newId(at_ms)
  assert.match(id, new RegExp(idPattern))
  assert.match(id, /^.{14}7.{4}[89ab]/)
  assert.equal(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16), at_ms)
})

test('100,000 ids of few milliseconds are different', () => {
  const ids = new Set(
    Array.from({ length: 100_000 }, (_, index) => newId(1_772_442_000_000 + Math.floor(index / 2_000))),
  )
  assert.equal(ids.size, 100_000)
})

test('ids of one millisecond count upwards, also while ids of other times are made in turns', () => {
  const [frozen_ms, real_ms] = [1_772_442_000_001, 1_782_442_000_000]
  const ids = Array.from({ length: 200 }, (_, index) => [newId(frozen_ms), newId(real_ms + index)] as const)
  for (const place of [0, 1] as const) {
    const own = ids.map((pair) => pair[place])
    assert.deepEqual(own, own.toSorted())
  }
})

test('ids of one millisecond sort in the order they were made, however long a clock stands still', () => {
  const ids = Array.from({ length: 20_000 }, () => newId(1_772_442_000_000))
  assert.deepEqual(ids.toSorted(), ids)
})

const zones = Intl.supportedValuesOf('timeZone')
const anyZone = fc.constantFrom(...zones)
const anyDate = fc.integer({ min: -20000, max: 40000 }).map((days) => addDays('1970-01-01', days))

describe('isTimeZone', () => {
  const accepted = ['Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Asia/Calcutta', 'Asia/Kolkata', 'Europe/Kyiv']
  for (const name of [...accepted, 'UTC', 'Etc/UTC', 'Etc/GMT+5', 'US/Eastern', 'Japan', 'Pacific/Pago_Pago']) {
    test(`takes ${name}`, () => assert.ok(isTimeZone(name)))
  }

  const offsets = ['+01:00', '-0300', '+02', 'UTC+1', 'GMT+0', 'Z']
  const abbreviations = ['EST', 'CET', 'PST', 'IST', 'GMT', 'MET', 'EST5EDT', 'PST8PDT', 'HST', 'PRC']
  const unknown = ['Europe/Nowhere', 'Factory', 'Local', '', ' UTC', 'utc', 'europe/berlin', 'EUROPE/BERLIN']
  const timestamps = ['2026-01-01T00:00[Europe/Berlin]', '2026-01-01T00:00Z']
  for (const name of [...offsets, ...abbreviations, ...unknown, ...timestamps]) {
    test(`refuses ${JSON.stringify(name)}`, () => assert.ok(!isTimeZone(name)))
  }

  test('takes every zone the runtime offers', () =>
    assert.deepEqual(
      zones.filter((name) => !isTimeZone(name)),
      [],
    ))
})

describe('startOfDay', () => {
  const instants: [string, string, string][] = [
    ['2026-03-16', 'Europe/Berlin', '2026-03-15T23:00:00.000Z'],
    ['2026-03-30', 'Europe/Berlin', '2026-03-29T22:00:00.000Z'],
    ['2026-03-08', 'America/New_York', '2026-03-08T05:00:00.000Z'],
    ['2026-03-09', 'America/New_York', '2026-03-09T04:00:00.000Z'],
    ['2026-09-06', 'America/Santiago', '2026-09-06T04:00:00.000Z'],
    ['2026-11-01', 'America/Havana', '2026-11-01T04:00:00.000Z'],
    ['2026-04-01', 'Pacific/Kiritimati', '2026-03-31T10:00:00.000Z'],
    ['2026-04-01', 'Pacific/Pago_Pago', '2026-04-01T11:00:00.000Z'],
    ['2011-12-30', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
  ]
  for (const [date, zone, expected] of instants) {
    test(`${date} in ${zone} starts at ${expected}`, () => {
      assert.equal(new Date(startOfDay(date, zone)).toISOString(), expected)
    })
  }

  test('it is the first instant of its date: the millisecond before belongs to an earlier one', () => {
    fc.assert(
      fc.property(anyDate, anyZone, (date, zone) => {
        const start = startOfDay(date, zone)
        assert.ok(businessDate(new Date(start).toISOString(), zone) >= date)
        assert.ok(businessDate(new Date(start - 1).toISOString(), zone) < date)
      }),
    )
  })
})

describe('businessDate', () => {
  const dates: [string, string, string][] = [
    ['2026-03-15T22:59:59.999Z', 'Europe/Berlin', '2026-03-15'],
    ['2026-03-15T23:00:00.000Z', 'Europe/Berlin', '2026-03-16'],
    ['2026-11-01T04:30:00.000Z', 'America/Havana', '2026-11-01'],
    ['2026-11-01T05:30:00.000Z', 'America/Havana', '2026-11-01'],
    ['2026-03-31T10:00:00.000Z', 'Pacific/Kiritimati', '2026-04-01'],
    ['2026-03-31T10:00:00.000Z', 'Pacific/Pago_Pago', '2026-03-30'],
  ]
  for (const [instant, zone, expected] of dates) {
    test(`${instant} is ${expected} in ${zone}`, () => assert.equal(businessDate(instant, zone), expected))
  }
})

describe('dates', () => {
  for (const text of ['2026-02-28', '2028-02-29', '0001-01-01', '9999-12-31']) {
    test(`${text} is a date`, () => assert.ok(isDate(text)))
  }

  const broken = ['2026-02-29', '2026-13-01', '2026-00-10', '2026-04-31', '0000-01-01', '2026-1-1', '20260101']
  for (const text of [...broken, '2026-01-01T00:00Z', '+002026-01-01', '2026-01-01\n', '']) {
    test(`${JSON.stringify(text)} is no date`, () => assert.ok(!isDate(text)))
  }

  test('days count across leap days and changes of offset', () => {
    assert.equal(addDays('2028-02-28', 1), '2028-02-29')
    assert.equal(addDays('2026-03-01', -1), '2026-02-28')
    assert.equal(daysBetween('2026-01-01', '2027-01-01'), 365)
    assert.equal(daysBetween('2026-03-30', '2026-03-28'), -2)
  })

  test('the calendar ends at 9999-12-31 and begins at 0001-01-01', () => {
    assert.equal(addDays('9999-12-31', 31), '9999-12-31')
    assert.equal(addDays('0001-01-01', -1), '0001-01-01')
  })

  test('weekdays run from 1 on Monday to 7 on Sunday', () => {
    const week = [0, 1, 2, 3, 4, 5, 6].map((days) => weekdayOf(addDays('2026-03-02', days)))
    assert.deepEqual(week, [1, 2, 3, 4, 5, 6, 7])
  })

  test('adding the days between two dates leads from one to the other', () => {
    fc.assert(fc.property(anyDate, anyDate, (from, to) => assert.equal(addDays(from, daysBetween(from, to)), to)))
  })
})

for (const [text, utc] of [
  ['2026-01-12T09:00:00Z', '2026-01-12T09:00:00.000Z'],
  ['2026-01-12t09:00:00z', '2026-01-12T09:00:00.000Z'],
  ['2026-01-12T09:00:00.123456789Z', '2026-01-12T09:00:00.123Z'],
  ['2026-01-12T23:59:59+23:59', '2026-01-12T00:00:59.000Z'],
  ['2026-01-12T09:00:00-00:00', '2026-01-12T09:00:00.000Z'],
  ['2028-02-29T23:30:00-01:00', '2028-03-01T00:30:00.000Z'],
] as const) {
  test(`${text} is ${utc}`, () => assert.equal(utcOf(text), utc))
}

for (const text of [
  '2026-02-30T00:00:00Z',
  '2026-02-29T12:00:00+05:30',
  '2026-04-31t00:00:00z',
  '2026-01-12T24:00:00Z',
  '2026-01-12T24:00:00.000Z',
  '2026-01-12T25:00:00.000Z',
  '2026-01-12T09:60:00Z',
  '2026-12-31T23:59:60Z',
  '2026-12-31T23:59:60.000Z',
  '2026-01-12T09:00:00+24:00',
  '2026-01-12T09:00:00+05:60',
  '0000-06-01T00:00:00Z',
  '2026-01-12T09:00:00',
  '2026-01-12 09:00:00Z',
  '2026-01-12',
]) {
  test(`${text} is no time`, () => assert.equal(utcOf(text), null))
}

for (const [what, text] of [
  ['letters of any script', 'Zoë Nguyễn 李 محمد Ελένη'],
  ['an emoji joined of several', 'Team 👩‍👩‍👧‍👦 of 🏴󠁧󠁢󠁥󠁮󠁧󠁿'],
  ['a joiner that Persian needs', 'می‌خواهم'],
  ['nothing', ''],
] as const) {
  test(`a line may hold ${what}`, () => assert.equal(faultOfLine(text), null))
}

const ranges: [what: string, first: number, last: number][] = [
  ['C0', 0x00, 0x1f],
  ['DEL and C1', 0x7f, 0x9f],
  ['the Arabic letter mark', 0x61c, 0x61c],
  ['a mark of direction', 0x200e, 0x200f],
  ['separators, embeddings and overrides', 0x2028, 0x202e],
  ['isolates', 0x2066, 0x2069],
]
for (const [what, first, last] of ranges) {
  test(`no line holds ${what}, and several lines only line feeds of it`, () => {
    for (let point = first; point <= last; point += 1) {
      const text = `a${String.fromCodePoint(point)}b`
      assert.equal(faultOfLine(text), text_messages.line, `U+${point.toString(16)}`)
      assert.equal(faultOfLines(text), text === 'a\nb' ? null : text_messages.lines, `U+${point.toString(16)}`)
    }
  })
}

for (const text of [
  '\u200b',
  '\u2060\ufeff',
  '\u3164',
  '\u115f\u1160',
  '\u2800',
  '\u00ad',
  '\ufe0f',
  '\u0301',
  '\u{e0041}',
]) {
  test(`${JSON.stringify(text)} cannot be seen`, () => {
    assert.equal(faultOfLine(text), text_messages.visible)
    assert.equal(faultOfLines(`${text}\n${text}`), text_messages.visible)
  })
}

test('a text is kept composed, with line feeds and without blanks at its ends', () => {
  assert.equal(tidy('  Zoe\u0308\r\nLe\u0301a\r \u3000'), 'Zo\u00eb\nL\u00e9a')
})

for (const text of [
  'ada@harbour.example',
  "o'neill+pay@mail.harbour.example",
  'a.b-c_d@x-y.example',
  `${'a'.repeat(64)}@harbour.example`,
  'ada@xn--bcher-kva.example',
  'ada@2026.example',
]) {
  test(`${text} is an e-mail address`, () => assert.ok(isEmail(text)))
}

for (const [what, text] of [
  ['a domain of one label', 'root@localhost'],
  ['a quoted local part', '"ada b"@harbour.example'],
  ['an address literal', 'ada@[192.0.2.1]'],
  ['an address of IPv6', 'ada@[IPv6:2001:db8::1]'],
  ['a bare address', 'ada@192.0.2.1'],
  ['a last label of one letter', 'ada@harbour.e'],
  ['a dot at the start', '.ada@harbour.example'],
  ['a dot at the end', 'ada.@harbour.example'],
  ['two dots', 'ada..b@harbour.example'],
  ['two dots in the domain', 'ada@harbour..example'],
  ['a dot behind the domain', 'ada@harbour.example.'],
  ['a hyphen at the start of a label', 'ada@-harbour.example'],
  ['a local part of 65 characters', `${'a'.repeat(65)}@harbour.example`],
  ['a label of 64 characters', `ada@${'a'.repeat(64)}.example`],
  ['255 characters', `ada@${`${'a'.repeat(61)}.`.repeat(4)}exa`],
  ['two at signs', 'ada@b@harbour.example'],
  ['no local part', '@harbour.example'],
  ['no domain', 'ada@'],
  ['no at sign', 'ada.harbour.example'],
  ['a blank', 'ada @harbour.example'],
  ['a line break', 'ada@harbour.example\n'],
  ['letters of another script', 'ada@bücher.example'],
] as const) {
  test(`no e-mail address: ${what}`, () => assert.ok(!isEmail(text)))
}

for (const [tag, canonical] of [
  ['en', 'en'],
  ['EN-us', 'en-US'],
  ['ZH-HANS-cn', 'zh-Hans-CN'],
  ['iw', 'he'],
  ['de-1996', 'de-1996'],
] as const) {
  test(`${tag} is ${canonical}`, () => assert.equal(canonicalLocale(tag), canonical))
}

for (const tag of ['', 'english please', 'en_US', 'e', 'en-', ' en', `en-x${'-a'.repeat(16)}`]) {
  test(`${JSON.stringify(tag)} is no language tag`, () => assert.equal(canonicalLocale(tag), null))
}

test('exactly the 250 alpha-2 codes are countries', () => {
  assert.equal(countries.length, 250)
  for (const code of countries) assert.ok(isCountry(code), code)
})

for (const code of ['DE', 'XK', 'KW', 'CL']) test(`${code} is a country`, () => assert.ok(isCountry(code)))

for (const code of ['de', 'DEU', '276', 'XX', 'EU', 'UK', '', 'constructor']) {
  test(`${JSON.stringify(code)} is no country`, () => assert.ok(!isCountry(code)))
}

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
