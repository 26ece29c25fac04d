import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openingOf } from './opening.ts'

const id = '019cadc6-9a80-70df-929e-750f1228d11d'

test('one message opens a transaction with role, organization, timeouts and clock', () => {
  assert.equal(
    openingOf({ role: 'app', organization_id: id }),
    'begin isolation level read committed;set local role stint_app;set local statement_timeout = 30000;' +
      'set local idle_in_transaction_session_timeout = 60000;' +
      `set local app.organization_id = '${id}';select app_now()::timestamptz(3) as now`,
  )
  assert.match(
    openingOf({ role: 'engine', read_only: true }),
    /^begin isolation level read committed read only;set local role stint_engine;/,
  )
  assert.match(openingOf({ role: 'operator' }), /^begin isolation level read committed;set local role stint_operator;/)
  assert.doesNotMatch(openingOf({ role: 'owner' }), /set local role/)
})

const hostile = [
  `${id}'; drop table organizations; --`,
  `${id}\n`,
  `'`,
  '',
  id.toUpperCase(),
  id.replaceAll('-', ''),
  `{${id}}`,
  `${id}${id}`,
  '019cadc6-9a80-70df-929e-750f1228d11g',
]
for (const organization_id of hostile) {
  test(`an organization that is no id is refused before it is written into SQL: ${JSON.stringify(organization_id)}`, () => {
    assert.throws(() => openingOf({ role: 'app', organization_id }), TypeError)
  })
}
