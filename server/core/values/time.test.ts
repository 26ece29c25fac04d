import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { addDays, businessDate, daysBetween, isDate, isTimeZone, startOfDay, utcOf, weekdayOf } from './time.ts'

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
        assert.ok(businessDate(start, zone) >= date)
        assert.ok(businessDate(start - 1, zone) < date)
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
    test(`${instant} is ${expected} in ${zone}`, () => assert.equal(businessDate(Date.parse(instant), zone), expected))
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
