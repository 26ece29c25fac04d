import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { daysBetween } from '#core/values.ts'
import {
  type Cycle,
  type CycleSeries,
  type CycleSettings,
  closesAt,
  cycleContaining,
  cycleSettings,
  cyclesFrom,
  dueDate,
  isCycleStart,
  issueDate,
  nextCycleStart,
} from './cycle-calendar.ts'
import { cycle_end_rules, frequencies } from './terms.ts'

const days = (from: string, to: string) => daysBetween(from, to) + 1
const realDays = ({ start_date, end_date }: Cycle) => days(start_date, end_date)
const nominalDays = ({ nominal_start_date, nominal_end_date }: Cycle) => days(nominal_start_date, nominal_end_date)

/** `weekly 7`, `monthly last 5` or `biweekly 7 first 2026-03-08`, as domain 6.2 writes settings */
function seriesOf(words: string, effective_from: string): CycleSeries {
  const [name, ...rest] = words.split(' ')
  const frequency = frequencies.find((each) => each === name)
  assert.ok(frequency)
  const by_last_week = rest[0] === 'last'
  return {
    effective_from,
    frequency,
    cycle_end_type: by_last_week ? 'day_of_last_week' : cycle_end_rules[frequency][0].type,
    cycle_end: Number(rest[by_last_week ? 1 : 0]),
    first_cycle_end: rest[1] === 'first' ? (rest[2] ?? null) : null,
  }
}

const settingsOf = (words: string, start: string, last_day: string | null = null): CycleSettings => ({
  series: [seriesOf(words, start)],
  last_day,
})

/** Settings, start and zone, then each cycle with its days / nominal days and, where named, more that is to be seen */
const rows: [string, string, string, string, string[]][] = [
  [
    'B1',
    'weekly 7',
    '2026-03-11',
    'Europe/Berlin',
    [
      '2026-03-11..2026-03-15 5/7 until 2026-03-15T23:00:00.000Z',
      '2026-03-16..2026-03-22 7/7 until 2026-03-22T23:00:00.000Z',
      '2026-03-23..2026-03-29 7/7 until 2026-03-29T22:00:00.000Z',
    ],
  ],
  [
    'B2',
    'weekly 6',
    '2026-03-02',
    'America/New_York',
    [
      '2026-03-02..2026-03-07 6/7 until 2026-03-08T05:00:00.000Z',
      '2026-03-08..2026-03-14 7/7 until 2026-03-15T04:00:00.000Z',
    ],
  ],
  [
    'B3',
    'biweekly 5',
    '2026-02-02',
    'Europe/Berlin',
    [
      '2026-02-02..2026-02-13 12/14 nominal from 2026-01-31',
      '2026-02-14..2026-02-27 14/14',
      '2026-02-28..2026-03-13 14/14',
      '2026-03-14..2026-03-27 14/14',
    ],
  ],
  [
    'B4',
    'biweekly 7 first 2026-03-08',
    '2026-03-02',
    'Europe/Berlin',
    [
      '2026-03-02..2026-03-08 7/14',
      '2026-03-09..2026-03-22 14/14',
      '2026-03-23..2026-04-05 14/14 until 2026-04-05T22:00:00.000Z',
    ],
  ],
  [
    'B5',
    'semimonthly 15',
    '2026-02-10',
    'Europe/Berlin',
    [
      '2026-02-10..2026-02-15 6/15',
      '2026-02-16..2026-02-28 13/13',
      '2026-03-01..2026-03-15 15/15',
      '2026-03-16..2026-03-31 16/16',
    ],
  ],
  [
    'B6',
    'semimonthly 14',
    '2026-02-01',
    'Europe/Berlin',
    [
      '2026-02-01..2026-02-14 14/16 nominal from 2026-01-30',
      '2026-02-15..2026-02-28 14/14',
      '2026-03-01..2026-03-14 14/14',
      '2026-03-15..2026-03-29 15/15',
    ],
  ],
  ['B6 in 2028', 'semimonthly 14', '2028-02-15', 'Europe/Berlin', ['2028-02-15..2028-02-29 15/15']],
  [
    'B7',
    'monthly 31',
    '2026-01-31',
    'Europe/Berlin',
    [
      '2026-01-31..2026-01-31 1/31',
      '2026-02-01..2026-02-28 28/28',
      '2026-03-01..2026-03-31 31/31 until 2026-03-31T22:00:00.000Z',
      '2026-04-01..2026-04-30 30/30',
    ],
  ],
  [
    'B8',
    'monthly 30',
    '2028-01-31',
    'Europe/Berlin',
    ['2028-01-31..2028-02-29 30/30', '2028-03-01..2028-03-30 30/30', '2028-03-31..2028-04-30 31/31'],
  ],
  [
    'B9',
    'monthly 25',
    '2026-01-10',
    'Europe/Berlin',
    [
      '2026-01-10..2026-01-25 16/31 nominal from 2025-12-26',
      '2026-01-26..2026-02-25 31/31',
      '2026-02-26..2026-03-25 28/28',
    ],
  ],
  [
    'B10',
    'monthly last 5',
    '2026-01-01',
    'Europe/Berlin',
    [
      '2026-01-01..2026-01-30 30/35 nominal from 2025-12-27',
      '2026-01-31..2026-02-27 28/28',
      '2026-02-28..2026-03-27 28/28',
      '2026-03-28..2026-04-24 28/28',
    ],
  ],
  [
    'B11 without a midnight',
    'monthly 5',
    '2026-08-06',
    'America/Santiago',
    ['2026-08-06..2026-09-05 31/31 until 2026-09-06T04:00:00.000Z'],
  ],
  [
    'B11 with two midnights',
    'monthly 31',
    '2026-10-01',
    'America/Havana',
    ['2026-10-01..2026-10-31 31/31 until 2026-11-01T04:00:00.000Z'],
  ],
  [
    'B12 far east',
    'monthly 31',
    '2026-03-01',
    'Pacific/Kiritimati',
    ['2026-03-01..2026-03-31 31/31 until 2026-03-31T10:00:00.000Z'],
  ],
  [
    'B12 far west',
    'monthly 31',
    '2026-03-01',
    'Pacific/Pago_Pago',
    ['2026-03-01..2026-03-31 31/31 until 2026-04-01T11:00:00.000Z'],
  ],
]

/** Writes a cycle the way the row does, saying no more than the row names */
function describeAs(row: string, cycle: Cycle | undefined, zone: string): string | undefined {
  if (!cycle) return undefined
  const days = `${cycle.start_date}..${cycle.end_date} ${realDays(cycle)}/${nominalDays(cycle)}`
  if (row.includes('nominal from')) return `${days} nominal from ${cycle.nominal_start_date}`
  return row.includes('until') ? `${days} until ${new Date(closesAt(cycle.end_date, zone)).toISOString()}` : days
}

describe('cycles of domain 6.2', () => {
  for (const [name, words, start, zone, expected] of rows) {
    test(`${name}: ${words} from ${start}, ${zone}`, () => {
      const cycles = cyclesFrom(settingsOf(words, start), start, expected.length)
      const seen = expected.map((row, index) => describeAs(row, cycles[index], zone))
      assert.deepEqual(seen, expected)
    })
  }

  test('biweekly cycles without a given first end first end a week or more after the start', () => {
    const firstEnd = (start: string) => cyclesFrom(settingsOf('biweekly 5', start), start, 1)[0]?.end_date
    assert.equal(firstEnd('2026-03-06'), '2026-03-13')
    assert.equal(firstEnd('2026-03-07'), '2026-03-20')
  })

  test('the cycle of B1 over the change of offset lasts 167 hours', () => {
    assert.equal((closesAt('2026-03-29', 'Europe/Berlin') - closesAt('2026-03-22', 'Europe/Berlin')) / 3_600_000, 167)
  })
})

describe('a contract that ends', () => {
  const ending = settingsOf('weekly 7', '2026-03-11', '2026-03-18')

  test('its last cycle is cut to the last day and keeps its nominal length', () => {
    assert.deepEqual(cyclesFrom(ending, '2026-03-11', 10).at(-1), {
      start_date: '2026-03-16',
      end_date: '2026-03-18',
      nominal_start_date: '2026-03-16',
      nominal_end_date: '2026-03-22',
    })
  })

  test('there is no cycle before its start nor after its last day', () => {
    assert.equal(cycleContaining(ending, '2026-03-10'), null)
    assert.equal(cycleContaining(ending, '2026-03-19'), null)
    assert.deepEqual(cyclesFrom(ending, '2026-03-19', 10), [])
  })

  test('no cycle starts after the one with the last day', () => {
    assert.equal(nextCycleStart(ending, '2026-03-15'), '2026-03-16')
    assert.equal(nextCycleStart(ending, '2026-03-16'), null)
  })

  test('one that starts and ends on one day has one cycle of that day', () => {
    const [only, ...others] = cyclesFrom(settingsOf('monthly 31', '2026-03-31', '2026-03-31'), '2026-01-01', 10)
    assert.equal(only && realDays(only), 1)
    assert.deepEqual(others, [])
  })
})

describe('starts of cycles', () => {
  const settings = settingsOf('semimonthly 15', '2026-02-10')

  test('the next cycle starts after the given date, the first one included before the contract starts', () => {
    assert.equal(nextCycleStart(settings, '2026-01-01'), '2026-02-10')
    assert.equal(nextCycleStart(settings, '2026-02-10'), '2026-02-16')
    assert.equal(nextCycleStart(settings, '2026-02-15'), '2026-02-16')
    assert.equal(nextCycleStart(settings, '2026-02-16'), '2026-03-01')
  })

  test('the first day of a real cycle is a start, also where the nominal one began earlier', () => {
    for (const date of ['2026-02-10', '2026-02-16', '2026-03-01']) assert.ok(isCycleStart(settings, date), date)
    for (const date of ['2026-02-01', '2026-02-09', '2026-02-17']) assert.ok(!isCycleStart(settings, date), date)
  })

  test('no more cycles are made than asked for', () => assert.equal(cyclesFrom(settings, '2026-02-10', 3).length, 3))
})

describe('a change of cycle terms', () => {
  const none = { frequency: null, cycle_end_type: null, cycle_end: null, first_cycle_end: null }
  const version = (words: string, effective_from: string) => {
    const { effective_from: _, ...terms } = seriesOf(words, effective_from)
    return { effective_from, terms }
  }

  test('begins a new series at its date: the first new cycle is cut to it', () => {
    const settings = cycleSettings([version('semimonthly 15', '2026-02-01'), version('monthly 31', '2026-03-16')], null)
    assert.ok(settings)
    assert.deepEqual(
      cyclesFrom(settings, '2026-03-01', 3).map((cycle) => [cycle.start_date, cycle.end_date, nominalDays(cycle)]),
      [
        ['2026-03-01', '2026-03-15', 15],
        ['2026-03-16', '2026-03-31', 31],
        ['2026-04-01', '2026-04-30', 30],
      ],
    )
  })

  test('a new biweekly series counts its fortnights from its own first day', () => {
    const settings = cycleSettings([version('monthly 31', '2026-01-01'), version('biweekly 7', '2026-04-01')], null)
    assert.ok(settings)
    assert.deepEqual(
      cyclesFrom(settings, '2026-03-31', 3).map(({ start_date, end_date }) => `${start_date}..${end_date}`),
      ['2026-03-01..2026-03-31', '2026-04-01..2026-04-12', '2026-04-13..2026-04-26'],
    )
  })

  test('versions with the same cycle terms stay one series', () => {
    const versions = [version('biweekly 5', '2026-02-02'), version('biweekly 5', '2026-02-16')]
    assert.deepEqual(cycleSettings(versions, null)?.series, [seriesOf('biweekly 5', '2026-02-02')])
  })

  test('versions are ordered by date, and of two for one date the later in the list counts', () => {
    const versions = [
      version('monthly 31', '2026-01-01'),
      version('weekly 7', '2026-05-01'),
      version('weekly 5', '2026-03-01'),
      version('semimonthly 15', '2026-05-01'),
    ]
    assert.deepEqual(
      cycleSettings(versions, '2026-12-31')?.series.map(({ effective_from, frequency }) => [effective_from, frequency]),
      [
        ['2026-01-01', 'monthly'],
        ['2026-03-01', 'weekly'],
        ['2026-05-01', 'semimonthly'],
      ],
    )
  })

  test('a version replaced on its own date by the terms before it leaves the old series unbroken', () => {
    const versions = [
      version('weekly 7', '2026-01-01'),
      version('monthly 31', '2026-02-02'),
      version('weekly 7', '2026-02-02'),
    ]
    assert.deepEqual(cycleSettings(versions, null)?.series, [seriesOf('weekly 7', '2026-01-01')])
  })

  test('terms without a frequency have no cycles', () => {
    assert.equal(cycleSettings([{ effective_from: '2026-01-05', terms: none }], null), null)
    assert.equal(cycleSettings([], null), null)
  })
})

describe('issue and due dates of domain 6.3', () => {
  const cases: [string, number, boolean, string, string][] = [
    ['2026-03-31', 7, false, '2026-04-01', '2026-04-08'],
    ['2026-02-28', 7, false, '2026-03-01', '2026-03-08'],
    ['2026-02-28', 7, true, '2026-03-01', '2026-03-06'],
    ['2026-01-31', 90, true, '2026-02-01', '2026-05-01'],
    ['2026-03-13', 0, true, '2026-03-14', '2026-03-14'],
    ['2026-03-13', 1, true, '2026-03-14', '2026-03-14'],
    ['2026-03-12', 1, true, '2026-03-13', '2026-03-13'],
  ]
  for (const [end_date, payment_due_days, pay_before_weekends, issue_date, due_date] of cases) {
    test(`end ${end_date}, ${payment_due_days} days${pay_before_weekends ? ', before weekends' : ''}: due ${due_date}`, () => {
      assert.equal(issueDate(end_date), issue_date)
      assert.equal(dueDate(issue_date, { payment_due_days, pay_before_weekends }), due_date)
    })
  }
})
