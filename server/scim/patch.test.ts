import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memberChange } from './groups.ts'
import { applyChanges, patch_urn, readChanges } from './patch.ts'
import type { Resource } from './resource.ts'
import { enterprise_schema, group_type, user_type } from './schema.ts'

const id = '019b8d64-4f40-7d13-8e20-44b1c7f9a035'
const work = { value: 'nora@harbour.example', type: 'work', primary: true }
const home = { value: 'nora@home.example', type: 'home' }
const enterprise = enterprise_schema.id

const nora: Resource = {
  userName: 'nora@harbour.example',
  name: { givenName: 'Nora', familyName: 'Pine' },
  title: 'Clerk',
  active: true,
  emails: [work, home],
  [enterprise]: { costCenter: '7', manager: { value: 'm-1' } },
}

const changesOf = (Operations: unknown, type = user_type) => readChanges(type, { schemas: [patch_urn], Operations }, id)
const after = (...Operations: object[]) => applyChanges(nora, changesOf(Operations))

const done: [what: string, operation: object, after: Resource][] = [
  ['replace sets a text', { op: 'replace', path: 'title', value: 'Lead' }, { title: 'Lead' }],
  ['add sets a text', { op: 'add', path: 'nickName', value: 'No' }, { nickName: 'No' }],
  ['remove unassigns', { op: 'remove', path: 'title' }, { title: undefined }],
  ['replace by null unassigns', { op: 'replace', path: 'title', value: null }, { title: undefined }],
  [
    'a part',
    { op: 'replace', path: 'name.givenName', value: 'Eleonora' },
    { name: { givenName: 'Eleonora', familyName: 'Pine' } },
  ],
  [
    'parts are merged',
    { op: 'replace', path: 'name', value: { givenName: 'E' } },
    { name: { givenName: 'E', familyName: 'Pine' } },
  ],
  [
    'add appends an element',
    { op: 'add', path: 'emails', value: [{ value: 'x@y.example', type: 'other' }] },
    { emails: [work, home, { value: 'x@y.example', type: 'other' }] },
  ],
  ['add of one that is there does nothing', { op: 'add', path: 'emails', value: home }, {}],
  [
    'add of a primary one turns the others off',
    { op: 'add', path: 'emails', value: { value: 'x@y.example', primary: true } },
    { emails: [{ value: work.value, type: 'work' }, home, { value: 'x@y.example', primary: true }] },
  ],
  ['replace replaces the list', { op: 'replace', path: 'emails', value: [home] }, { emails: [home] }],
  ['remove empties the list', { op: 'remove', path: 'emails' }, { emails: undefined }],
  [
    'a part of the elements that the filter finds',
    { op: 'replace', path: 'emails[type eq "home"].value', value: 'x@y.example' },
    { emails: [work, { value: 'x@y.example', type: 'home' }] },
  ],
  [
    'elements that the filter finds',
    { op: 'replace', path: 'emails[type eq "home"]', value: { value: 'x@y.example' } },
    { emails: [work, { value: 'x@y.example' }] },
  ],
  [
    'add merges into them',
    { op: 'add', path: 'emails[type eq "home"]', value: { display: 'Mine' } },
    { emails: [work, { ...home, display: 'Mine' }] },
  ],
  [
    'of several that are replaced by a primary one, one is primary',
    { op: 'replace', path: 'emails[value co "@"]', value: { value: 'x@y.example', primary: true } },
    { emails: [{ value: 'x@y.example' }, { value: 'x@y.example', primary: true }] },
  ],
  ['they are removed', { op: 'remove', path: 'emails[type eq "home"]' }, { emails: [work] }],
  ['none of them: nothing is removed', { op: 'remove', path: 'emails[type eq "fax"]' }, {}],
  [
    'an extension',
    { op: 'replace', path: `${enterprise}:costCenter`, value: '8' },
    { [enterprise]: { costCenter: '8', manager: { value: 'm-1' } } },
  ],
  [
    'no path: each key is one',
    { op: 'replace', value: { title: 'Lead', nickName: 'No' } },
    { title: 'Lead', nickName: 'No' },
  ],
  [
    'no path: a schema with its attributes',
    { op: 'add', value: { [enterprise]: { division: 'North' } } },
    { [enterprise]: { costCenter: '7', division: 'North', manager: { value: 'm-1' } } },
  ],
  [
    'unknown keys within a value are dropped',
    { op: 'replace', path: 'name', value: { givenName: 'E', shoe: 44 } },
    { name: { givenName: 'E', familyName: 'Pine' } },
  ],
  [
    'unknown keys beside the operation are ignored',
    { op: 'replace', path: 'title', value: 'Lead', name: 'x' },
    { title: 'Lead' },
  ],
  // Quirks of clients (design 8.5)
  ['quirk: the operation in any case', { op: 'Replace', path: 'title', value: 'Lead' }, { title: 'Lead' }],
  ['quirk: a boolean as a text', { op: 'replace', path: 'active', value: 'False' }, { active: false }],
  [
    'quirk: dotted and bracketed keys',
    { op: 'add', value: { 'name.givenName': 'E', 'emails[type eq "work"].value': 'e@x.example' } },
    { name: { givenName: 'E', familyName: 'Pine' }, emails: [{ ...work, value: 'e@x.example' }, home] },
  ],
  [
    'quirk: keys with the whole URN',
    { op: 'add', value: { [`${enterprise}:costCenter`]: '8' } },
    { [enterprise]: { costCenter: '8', manager: { value: 'm-1' } } },
  ],
  [
    'quirk: a dot for the last colon',
    { op: 'replace', path: `${enterprise}.manager`, value: 'm-2' },
    { [enterprise]: { costCenter: '7', manager: { value: 'm-2' } } },
  ],
  [
    'quirk: a manager as an empty text',
    { op: 'replace', path: `${enterprise}:manager`, value: '' },
    { [enterprise]: { costCenter: '7' } },
  ],
  [
    'quirk: an element that is not there is made of the filter',
    { op: 'replace', path: 'phoneNumbers[type eq "mobile"].value', value: '1' },
    { phoneNumbers: [{ type: 'mobile', value: '1' }] },
  ],
  [
    'quirk: of its terms joined by and',
    { op: 'add', path: 'emails[type eq "other" and primary eq true].value', value: 'o@x.example' },
    { emails: [{ value: work.value, type: 'work' }, home, { type: 'other', primary: true, value: 'o@x.example' }] },
  ],
  ['quirk: the own id in a value', { op: 'replace', value: { id, title: 'Lead' } }, { title: 'Lead' }],
]
for (const [what, operation, changes] of done) {
  test(what, () =>
    assert.deepEqual(JSON.parse(JSON.stringify(after(operation))), JSON.parse(JSON.stringify({ ...nora, ...changes }))),
  )
}

const refused: [what: string, operation: object, refusal: string, says: RegExp][] = [
  ['an operation that is none', { op: 'move', path: 'title' }, 'invalidSyntax', /"move"/],
  ['remove without a path', { op: 'remove' }, 'noTarget', /needs a path/],
  ['a value without a path that is no object', { op: 'add', value: 'x' }, 'invalidValue', /object of attributes/],
  ['an unknown path', { op: 'add', path: 'shoe', value: 1 }, 'invalidPath', /shoe/],
  ['an unknown key', { op: 'add', value: { shoe: 1 } }, 'invalidPath', /shoe/],
  ['a read-only attribute', { op: 'replace', path: 'groups', value: [] }, 'mutability', /groups is read-only/],
  ['a read-only part', { op: 'replace', path: 'meta.created', value: 'x' }, 'mutability', /read-only/],
  ['another id', { op: 'replace', value: { id: 'other' } }, 'mutability', /id is read-only/],
  ['the removal of what is required', { op: 'remove', path: 'userName' }, 'mutability', /userName always has a value/],
  ['a mark that turns writing', { op: 'replace', path: 'title', value: 'a\u202eb' }, 'invalidValue', /title must have/],
  ['the end of a text in C', { op: 'replace', path: 'title', value: 'a\0b' }, 'invalidValue', /title must have/],
  ['half a character', { op: 'replace', path: 'title', value: '\ud800' }, 'invalidValue', /half a character/],
  ['a text that is a number', { op: 'replace', path: 'title', value: 5 }, 'invalidValue', /title is a text/],
  [
    'a boolean that is none',
    { op: 'replace', path: 'active', value: 'yes' },
    'invalidValue',
    /active is true or false/,
  ],
  [
    'no element, and a filter that names none',
    { op: 'replace', path: 'emails[value co "#" or type eq "fax"].value', value: 'x' },
    'noTarget',
    /satisfies/,
  ],
  [
    'no element to replace',
    { op: 'replace', path: 'emails[type eq "fax"]', value: { value: 'x' } },
    'noTarget',
    /satisfies/,
  ],
]
for (const [what, operation, refusal, says] of refused) {
  test(`refused: ${what}`, () => {
    assert.throws(
      () => after(operation),
      (error: { refusal?: string; message: string }) => {
        assert.equal(error.refusal, refusal)
        assert.match(error.message, says)
        return true
      },
    )
  })
}

test('a body without operations, with a wrong schema, or with more than 1,000 is refused', () => {
  assert.throws(() => changesOf([]), { refusal: 'invalidSyntax' })
  assert.throws(() => readChanges(user_type, { schemas: ['x'], Operations: [{}] }, id), { refusal: 'invalidSyntax' })
  const many = Array.from({ length: 1_001 }, () => ({ op: 'remove', path: 'title' }))
  assert.throws(() => changesOf(many), { refusal: 'tooMany' })
})

test('a list never grows past what it may hold, however many operations add to it', () => {
  const many = (from: number) => Array.from({ length: 20 }, (_, at) => ({ value: `${from + at}@x.example` }))
  const changes = changesOf([0, 20, 40, 60].map((from) => ({ op: 'add', path: 'emails', value: many(from) })))
  assert.equal(Object(applyChanges({}, changes.slice(0, 2))).emails.length, 40)
  assert.throws(() => applyChanges({}, changes.slice(0, 3)), { refusal: 'invalidValue', message: /holds 50 values/ })
})

test('members become sets of ids, whatever form they are sent in', () => {
  const changeOf = (operation: object) => changesOf([operation], group_type).map(memberChange)[0]
  const path = 'members'
  for (const value of ['a', { value: 'a' }, ['a'], [{ value: 'a', $ref: null }]]) {
    assert.deepEqual(changeOf({ op: 'add', path, value }), { coming: ['a'] })
    assert.deepEqual(changeOf({ op: 'Remove', path, value }), { leaving: ['a'] })
  }
  const coming = ['a', 'b']
  const members = coming.map((value) => ({ value }))
  assert.deepEqual(changeOf({ op: 'replace', path, value: members }), { coming, leaving: 'others' })
  assert.deepEqual(changeOf({ op: 'replace', path, value: [] }), { coming: [], leaving: 'others' })
  assert.deepEqual(changeOf({ op: 'remove', path }), { coming: [], leaving: 'others' })
  assert.deepEqual(changeOf({ op: 'remove', path, value: [] }), { leaving: [] })
  assert.equal(changeOf({ op: 'remove', path: 'members[value eq "a"]' })?.where?.filter?.kind, 'compare')
  assert.throws(() => changeOf({ op: 'add', path, value: [{ value: 'a', type: 'Group' }] }), {
    refusal: 'invalidValue',
  })
  assert.throws(() => changeOf({ op: 'add', path, value: [{ type: 'User' }] }), { refusal: 'invalidValue' })
})
