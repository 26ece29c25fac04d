import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../../console/src/lib/api.ts'
import { decimalOf } from '../../console/src/lib/decimal.ts'
import { faultAt } from '../../console/src/lib/faults.ts'
import { relativeTime } from '../../console/src/lib/format.ts'

test('numbers are understood as people type them, and what could be two numbers is one by a rule', () => {
  const typed = {
    ...{ '45.50': '45.50', '45,50': '45.50', '1,250.00': '1250.00', '1.250,00': '1250.00', '1 250,5': '1250.5' },
    // A comma before three digits parts thousands, as on the pages; a dot never does alone.
    ...{ '1,000': '1000', '1.000': '1.000', '0,500': '0.500', '1.250.000': '1250000', '1,250,000': '1250000' },
    ...{ "1'250.00": '1250.00', abc: 'abc', '1,2,3': '1,2,3', '-5': '-5' },
  }
  for (const [text, decimal] of Object.entries(typed)) assert.equal(decimalOf(text), decimal, text)
})

test('what lies ahead is rounded, and what is past is not', () => {
  const day_s = 86_400
  const told = [
    ...[[90 * day_s - 5, 'in 3 months'] as const, [7 * day_s - 5, 'in 7 days'] as const],
    ...[[day_s - 20, 'tomorrow'] as const, [20, 'in 20 s'] as const, [-119, '1 minute ago'] as const],
    ...[[-(2 * day_s - 1), 'yesterday'] as const],
  ]
  for (const [ahead_s, words] of told) {
    assert.equal(relativeTime(new Date(ahead_s * 1_000).toISOString(), 0), words, String(ahead_s))
  }
})

test('what the service says of a form that it does not take is said without the words of programs', () => {
  const told = {
    'has another form: Days a year: decimal string from 0 to 366 in steps of 0.5. Null: no limit.':
      'It must be a number from 0 to 366 in steps of 0.5.',
    'has another form: Names the value in custom_fields: 1 to 40 small letters, digits and _, a letter first.':
      'It must be 1 to 40 small letters, digits and _, a letter first.',
    'has another form: Decimal string from 0 to 100 with at most 4 decimals, such as "19" or "9.975".':
      'It must be a number from 0 to 100 with at most 4 decimals, such as 19 or 9.975.',
    'must be a decimal string such as "4200.00"': 'It must be a number, such as 4200.00 or 4200,00.',
    'is required': 'It is required.',
  }
  for (const [message, words] of Object.entries(told)) {
    const error = new ApiError(400, { errors: [{ pointer: '/field', message }] }, null)
    assert.equal(faultAt(error, '/field'), words)
  }
})
