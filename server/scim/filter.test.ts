import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filter_limits, matches, parseFilter, parseTarget } from './filter.ts'
import { ScimError } from './refusals.ts'
import { enterprise_schema, group_type, user_type } from './schema.ts'

const nora = {
  id: '019b8d64-4f40-7d13-8e20-44b1c7f9a035',
  externalId: 'Abc',
  userName: 'Nora@Harbour.example',
  name: { familyName: 'Pine', givenName: 'Nora' },
  active: true,
  emails: [
    { value: 'nora@harbour.example', type: 'work', primary: true },
    { value: 'nora@home.example', type: 'home' },
  ],
  meta: { lastModified: '2026-03-02T10:00:00.123Z' },
  [enterprise_schema.id]: { department: 'Harbour', manager: { value: 'm-1' } },
}

const answers: [filter: string, isTrue: boolean][] = [
  ['userName eq "nora@harbour.EXAMPLE"', true],
  ['USERNAME Eq "nora@harbour.example"', true],
  ['externalId eq "abc"', false],
  ['externalId eq "Abc"', true],
  ['name.givenName sw "NO" and name.familyName ew "ne"', true],
  ['userName co "harbour" or userName eq "x" and active eq false', true],
  ['(userName co "harbour" or userName eq "x") and active eq false', false],
  ['not (active eq false)', true],
  ['not(active eq "True")', false],
  ['active eq True', true],
  ['active ne true', false],
  ['title pr', false],
  ['title ne "x"', true],
  ['title eq null', true],
  ['userName ne null', true],
  ['emails.value eq "nora@home.example"', true],
  ['emails eq "nora@home.example"', true],
  ['emails.type eq "work" and emails.value eq "nora@home.example"', true],
  ['emails[type eq "work" and value eq "nora@home.example"]', false],
  ['emails[type eq "work"].value eq "nora@home.example"', false],
  ['emails[type eq "home"].value co "@HOME"', true],
  ['emails[not (primary pr)]', true],
  ['emails[type eq "fax"]', false],
  ['emails ne "x"', true],
  ['phoneNumbers ne "x"', false],
  ['name[givenName eq "Nora"]', true],
  [`${enterprise_schema.id}:department eq "harbour"`, true],
  [`${enterprise_schema.id.toUpperCase()}:manager eq "m-1"`, true],
  [`${enterprise_schema.id}:manager.value eq "M-1"`, false],
  ['urn:ietf:params:scim:schemas:core:2.0:User:userName pr', true],
  ['meta.lastModified ge "2026-03-02T10:00:00.1239999Z"', true],
  ['meta.lastModified gt 2026-03-02T10:00:00.123Z', false],
  ['meta.lastModified lt "2026-03-02T11:00:00.124+01:00"', true],
  ['meta.lastModified le "2026-03-02T10:00:00"', false],
  ['userName eq nora@harbour.example', true],
  ['name.givenName eq "N\\u006fra"', true],
  ['name.givenName gt "M"', true],
]
for (const [filter, isTrue] of answers) {
  test(`${filter} is ${isTrue}`, () => assert.equal(matches(parseFilter(user_type, filter), nora), isTrue))
}

const deep = (levels: number) => `${'('.repeat(levels)}userName pr${')'.repeat(levels)}`
const many = (tests: number) => Array.from({ length: tests }, () => 'userName pr').join(' and ')

const refused: [what: string, filter: string, says: RegExp][] = [
  ['nothing', '', /missing/],
  ['an unknown attribute', 'shoe eq "x"', /shoe is not an attribute/],
  ['an unknown part', 'name.shoe eq "x"', /name.shoe/],
  ['an unknown operator', 'userName like "x"', /like is not an operator/],
  ['no value', 'userName eq', /value is missing/],
  ['a text that does not end', 'userName eq "x', /does not end/],
  ['a text that is none', 'userName eq "\\x"', /not a JSON text/],
  ['a parenthesis that stays open', '(userName pr', /parenthesis is missing/],
  ['a bracket that stays open', 'emails[value pr', /bracket is missing/],
  ['brackets in brackets', 'emails[value[type pr] pr]', /no parts/],
  ['brackets behind a text', 'title[value pr]', /no parts/],
  ['words behind its end', 'userName pr userName pr', /should end/],
  ['an order of booleans', 'active gt true', /takes eq, ne and pr/],
  ['a boolean that is none', 'active eq "yes"', /true or false/],
  ['a part of a time', 'meta.created co "2026"', /takes no co/],
  ['a time that is none', 'meta.created gt "soon"', /RFC 3339/],
  ['a time of year 0', 'meta.created gt "0000-01-01T00:00:00Z"', /RFC 3339/],
  ['a time that its offset takes out of the years', 'meta.created gt "9999-12-31T23:59:59-01:00"', /RFC 3339/],
  ['the same at the other end', 'meta.created gt "0001-01-01T00:00:00+01:00"', /RFC 3339/],
  ['a character that no text may have', 'title eq "\\u0000"', /no text may have/],
  ['an order with null', 'title gt null', /null takes eq and ne/],
  ['an address as a whole', 'addresses eq "x"', /name one of them/],
  ['more than it may be long', `userName eq "${'x'.repeat(filter_limits.bytes)}"`, /longer than 4096 bytes/],
  ['a long value', `userName eq "${'x'.repeat(filter_limits.literal_characters + 1)}"`, /longer than 1024/],
  ['many tests', many(filter_limits.tests + 1), /more than 64 tests/],
  ['many levels', deep(filter_limits.depth + 1), /deeper than 16/],
]
for (const [what, filter, says] of refused) {
  test(`refused: ${what}`, () => {
    assert.throws(
      () => parseFilter(user_type, filter),
      (error: unknown) => {
        assert.ok(error instanceof ScimError)
        assert.equal(error.refusal, 'invalidFilter')
        assert.match(error.message, says)
        return true
      },
    )
  })
}

test('at its limits a filter is read', () => {
  for (const filter of [deep(filter_limits.depth), many(filter_limits.tests)]) {
    assert.equal(matches(parseFilter(user_type, filter), nora), true)
  }
})

test('100,000 parentheses are refused without a deep stack', () => {
  assert.throws(() => parseFilter(user_type, '('.repeat(4_000)), ScimError)
  assert.throws(() => parseFilter(user_type, deep(100_000)), ScimError)
})

test('a path names an attribute, a part, or the elements that a filter finds', () => {
  for (const [path, key, has_filter] of [
    ['userName', 'userName', false],
    ['NAME.givenname', 'name.givenName', false],
    ['emails[type eq "work"].value', 'emails.value', true],
    ['members[value eq "x"]', 'members', true],
    [`${enterprise_schema.id}:manager`, `${enterprise_schema.id}:manager`, false],
  ] as const) {
    const type = path.startsWith('members') ? group_type : user_type
    const { place, filter } = parseTarget(type, path)
    assert.deepEqual([place.key, filter !== undefined], [key, has_filter], path)
  }
  for (const path of ['', 'shoe', 'emails[type eq "work"].shoe', 'emails[type eq "work"] value', '[x]', 'userName x']) {
    assert.throws(() => parseTarget(user_type, path), { refusal: 'invalidPath' }, path)
  }
})
