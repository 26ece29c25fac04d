import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countries, countryName, isCountry } from './countries.ts'

test('exactly the 250 alpha-2 codes are countries, each with a name', () => {
  assert.equal(countries.length, 250)
  for (const code of countries) assert.ok(isCountry(code) && countryName(code).length > 3, code)
})

for (const code of ['DE', 'XK', 'KW', 'CL']) test(`${code} is a country`, () => assert.ok(isCountry(code)))

for (const code of ['de', 'DEU', '276', 'XX', 'EU', 'UK', '', 'constructor']) {
  test(`${JSON.stringify(code)} is no country`, () => assert.ok(!isCountry(code)))
}

test('a country with several names gives its official one', () => {
  assert.equal(countryName('US'), 'United States of America')
  assert.equal(countryName('XK'), 'Kosovo')
})

test('an unlisted code names itself', () => assert.equal(countryName('XX'), 'XX'))
