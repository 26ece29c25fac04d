import assert from 'node:assert/strict'
import { test } from 'node:test'
import { join, raw, type Sql, sql, textOf } from './database.ts'

const cases: [what: string, statement: Sql, text: string, values: unknown[]][] = [
  ['a statement without values', sql`select 1`, 'select 1', []],
  ['values become places in order', sql`a = ${1} and b = ${'x'}`, 'a = $1 and b = $2', [1, 'x']],
  ['a value at either end', sql`${1} + ${2}`, '$1 + $2', [1, 2]],
  ['a fragment is spliced in with its values', sql`a ${sql`b = ${1}`} c = ${2}`, 'a b = $1 c = $2', [1, 2]],
  ['fragments inside fragments', sql`${sql`(${sql`${1}`})`} ${2}`, '($1) $2', [1, 2]],
  ['fragments side by side', sql`${sql`a`}${sql`b`}${3}`, 'ab$1', [3]],
  ['an empty fragment', sql`a ${raw('')} ${1}`, 'a  $1', [1]],
  ['raw text of the program', sql`order by ${raw('name desc')}`, 'order by name desc', []],
  ['null, lists and dates are values', sql`${null} ${['a']}`, '$1 $2', [null, ['a']]],
]
for (const [what, statement, text, values] of cases) {
  test(what, () => assert.deepEqual([textOf(statement), statement.values], [text, values]))
}

test('text that looks like SQL stays a value', () => {
  const hostile = "'; drop table organizations; --"
  const statement = sql`select ${hostile}`
  assert.equal(textOf(statement), 'select $1')
  assert.deepEqual(statement.values, [hostile])
})

test('conditions join, and none gives the text for none', () => {
  const all = join([sql`a = ${1}`, sql`b = ${2}`, sql`c`], ' and ')
  assert.deepEqual([textOf(all), all.values], ['a = $1 and b = $2 and c', [1, 2]])
  assert.equal(textOf(join([], ' and ', 'true')), 'true')
})

test('a statement does not change when it is used in another', () => {
  const part = sql`a = ${1}`
  assert.notEqual(textOf(sql`${part} or ${part}`), textOf(part))
  assert.deepEqual([textOf(part), part.values], ['a = $1', [1]])
})
