/** Requests of identity providers as they send them, with the answers that they have to get (design scim.md 14). */

export interface Step {
  /** `GET /Users?…`; `{nora}` is the id that an earlier step has given that name to. */
  readonly send: string
  readonly body?: object | string
  readonly headers?: Readonly<Record<string, string>>
  /** Another credential than the token of the organization; null: none. */
  readonly token?: 'bad' | 'read' | 'without home' | 'personal' | null
  readonly gives: number
  /** Parts of the answer; a function answers whether it holds. */
  readonly shows?: object
  /** Names the id of the answer. */
  readonly as?: string
  /** Called with a personal token of the account of this user, which is made and linked at its first use. */
  readonly account?: string
  /** A call of the REST API of the service instead. */
  readonly rest?: true
  /** Types of the events since the last step that asks. */
  readonly emits?: readonly string[]
}

export interface Case {
  readonly name: string
  readonly steps: readonly Step[]
}

export const core = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const group = 'urn:ietf:params:scim:schemas:core:2.0:Group'
const entra_group = 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'
const patch_op = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
const error = 'urn:ietf:params:scim:api:messages:2.0:Error'

const json = { 'content-type': 'application/json' }
const eq = (attribute: string, value: string) => `filter=${encodeURIComponent(`${attribute} eq "${value}"`)}`
const operations = (...Operations: object[]) => ({ schemas: [patch_op], Operations })
const refused = (status: number, scimType?: string) => ({
  ...{
    schemas: [error],
    status: String(status),
    detail: (text: unknown) => typeof text === 'string' && text.length > 5,
  },
  ...(scimType && { scimType }),
})

const okta_user = {
  schemas: [core],
  userName: 'isaac.brock@atko.example',
  name: { givenName: 'Isaac', familyName: 'Brock' },
  emails: [{ primary: true, value: 'isaac.brock@atko.example', type: 'work' }],
  displayName: 'Isaac Brock',
  locale: 'en-US',
  externalId: '00ujl29u0le5T6Aj10h7',
  groups: [],
  active: true,
}
const isaac = { send: 'POST /Users', body: okta_user, as: 'isaac', gives: 201 } as const
const user = (userName: string, as: string, more: object = {}): Step => ({
  ...{ send: 'POST /Users', body: { schemas: [core], userName, ...more }, as, gives: 201 },
})
const patch = (id: string, body: object, more: Partial<Step> = {}): Step => ({
  ...{ send: `PATCH /Users/{${id}}`, body, gives: 200, ...more },
})

const entra_user = {
  schemas: [core, enterprise],
  externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
  UserName: 'Test_User_ab6490ee',
  Active: true,
  emails: [
    { primary: true, type: 'work', value: 'test.user@contoso.example' },
    { type: 'work', value: 'second@contoso.example' },
  ],
  meta: { resourceType: 'User' },
  name: { formatted: 'givenName familyName', familyname: 'familyName', givenName: 'givenName', middleName: null },
  [enterprise]: { EmployeeNumber: '7', department: 'Sales', manager: null },
  roles: [],
}

const eleven = (make: (at: number) => Step): Step[] => Array.from({ length: 11 }, (_, at) => make(at))

export const cases: readonly Case[] = [
  {
    name: 'okta-list-one',
    steps: [
      isaac,
      {
        send: 'GET /Users?startIndex=1&count=1',
        gives: 200,
        shows: {
          ...{ totalResults: 1, itemsPerPage: 1, startIndex: 1 },
          Resources: [
            {
              ...{ id: '{isaac}', userName: okta_user.userName, active: true, name: okta_user.name },
              emails: [{ value: okta_user.userName }],
            },
          ],
        },
      },
    ],
  },
  {
    name: 'okta-filter-no-match',
    steps: [{ send: `GET /Users?${eq('userName', 'nobody')}`, gives: 200, shows: { totalResults: 0, Resources: [] } }],
  },
  {
    name: 'okta-address-free',
    steps: [
      {
        send: `GET /Users?${eq('userName', 'x4711@atko.example')}`,
        gives: 200,
        shows: { totalResults: 0, Resources: [] },
      },
    ],
  },
  ...['okta-unknown-detail', 'okta-unknown-status'].map((name) => ({
    name,
    steps: [{ send: 'GET /Users/00919288221112222', gives: 404, shows: refused(404) }],
  })),
  {
    name: 'okta-create-plain-json',
    steps: [
      {
        ...isaac,
        headers: json,
        shows: { active: true, name: { givenName: 'Isaac', familyName: 'Brock' }, userName: okta_user.userName },
        emits: ['person.created', 'user.provisioned'],
      },
    ],
  },
  {
    name: 'okta-create-again',
    steps: [
      isaac,
      { ...isaac, gives: 409, shows: refused(409, 'uniqueness'), emits: ['person.created', 'user.provisioned'] },
    ],
  },
  {
    name: 'okta-get-listed',
    steps: [
      isaac,
      { send: 'GET /Users/{isaac}', gives: 200, shows: { ...okta_user, schemas: [core], groups: undefined } },
    ],
  },
  {
    name: 'okta-get-created',
    steps: [isaac, { send: 'GET /Users/{isaac}', gives: 200, shows: { id: '{isaac}', displayName: 'Isaac Brock' } }],
  },
  {
    name: 'okta-filter-other-case',
    steps: [
      isaac,
      { send: `GET /Users?${eq('userName', 'ISAAC.BROCK@ATKO.EXAMPLE')}`, gives: 200, shows: { totalResults: 1 } },
    ],
  },
  { name: 'okta-groups-quick', steps: [{ send: 'GET /Groups', gives: 200, shows: { Resources: [] } }] },
  {
    name: 'okta-bad-token',
    steps: [{ send: 'GET /Users?startIndex=1&count=1', token: 'bad', gives: 401, shows: refused(401) }],
  },
  {
    name: 'okta-profile-push',
    steps: [
      isaac,
      {
        ...{ send: 'PUT /Users/{isaac}', body: { ...okta_user, id: '{isaac}', title: 'Lead' }, gives: 200 },
        shows: { title: 'Lead', displayName: 'Isaac Brock', emails: okta_user.emails, locale: 'en-US' },
        emits: ['person.created', 'user.provisioned', 'person.updated'],
      },
    ],
  },
  {
    name: 'okta-deactivate-pathless',
    steps: [
      isaac,
      patch('isaac', operations({ op: 'replace', value: { active: false } }), {
        shows: { active: false },
        emits: ['person.created', 'user.provisioned', 'user.deprovisioned'],
      }),
      { send: 'GET /Users', gives: 200, shows: { totalResults: 1 } },
    ],
  },
  {
    name: 'okta-deactivate-put',
    steps: [
      isaac,
      { send: 'PUT /Users/{isaac}', body: { ...okta_user, active: false }, gives: 200, shows: { active: false } },
      { send: `GET /Users?filter=${encodeURIComponent('active eq false')}`, gives: 200, shows: { totalResults: 1 } },
    ],
  },
  {
    name: 'okta-group-empty',
    steps: [
      {
        ...{ send: 'POST /Groups', body: { schemas: [group], displayName: 'Test SCIMv2', members: [] }, gives: 201 },
        shows: { displayName: 'Test SCIMv2' },
        emits: ['team.created'],
      },
    ],
  },
  {
    name: 'okta-group-delta',
    steps: [
      isaac,
      user('ana', 'ana'),
      { send: 'POST /Groups', body: { displayName: 'G', members: [{ value: '{isaac}' }] }, as: 'g', gives: 201 },
      {
        send: 'PATCH /Groups/{g}',
        body: operations(
          { op: 'remove', path: 'members[value eq "{isaac}"]' },
          { op: 'add', path: 'members', value: [{ value: '{ana}', display: 'Ana' }] },
        ),
        gives: 204,
      },
      { send: 'GET /Groups/{g}', gives: 200, shows: { members: (all: unknown[]) => all.length === 1 } },
      { send: 'GET /Groups/{g}', gives: 200, shows: { members: [{ value: '{ana}', type: 'User' }] } },
    ],
  },
  {
    name: 'okta-group-push',
    steps: [
      ...[user('a', 'a'), user('b', 'b'), user('c', 'c')],
      {
        send: 'POST /Groups',
        body: { displayName: 'G', members: [{ value: '{a}' }, { value: '{b}' }] },
        as: 'g',
        gives: 201,
      },
      {
        ...{ send: 'PATCH /Groups/{g}', gives: 204 },
        body: operations({ op: 'replace', path: 'members', value: [{ value: '{b}' }, { value: '{c}' }] }),
      },
      { send: 'GET /Groups/{g}', gives: 200, shows: { members: [{ value: '{b}' }, { value: '{c}' }] } },
    ],
  },
  {
    name: 'okta-group-rename',
    steps: [
      { send: 'POST /Groups', body: { displayName: 'Old' }, as: 'g', gives: 201, emits: ['team.created'] },
      ...[['team.updated'], []].map((emits) => ({
        ...{ send: 'PATCH /Groups/{g}', gives: 204, emits },
        body: operations({ op: 'replace', value: { id: '{g}', displayName: 'New' } }),
      })),
    ],
  },
  {
    name: 'entra-empty-lists',
    steps: ['Users?filter=userName%20eq%20%22x%22', 'Groups?filter=displayName%20eq%20%22x%22'].map((path) => ({
      ...{ send: `GET /${path}`, gives: 200, shows: { totalResults: 0, Resources: [] } },
    })),
  },
  {
    name: 'entra-types',
    steps: [
      {
        send: 'GET /ResourceTypes',
        gives: 200,
        shows: { Resources: [{ endpoint: '/Users' }, { endpoint: '/Groups' }] },
      },
    ],
  },
  {
    name: 'entra-config',
    steps: [{ send: 'GET /ServiceProviderConfig', gives: 200, shows: { patch: { supported: true } } }],
  },
  { name: 'entra-schemas', steps: [{ send: 'GET /Schemas', gives: 200, shows: { Resources: [{ id: core }] } }] },
  {
    name: 'entra-create-core',
    steps: [
      {
        send: 'POST /Users',
        body: { ...entra_user, schemas: [core], [enterprise]: undefined },
        gives: 201,
        shows: {
          userName: 'Test_User_ab6490ee',
          name: { familyName: 'familyName' },
          emails: (all: unknown[]) => all.length === 2,
        },
      },
    ],
  },
  {
    name: 'entra-create-enterprise',
    steps: [
      {
        ...{ send: 'POST /Users', body: entra_user, gives: 201 },
        shows: { [enterprise]: { employeeNumber: '7', department: 'Sales' }, schemas: [core, enterprise] },
        emits: ['department.created', 'person.created', 'user.provisioned'],
      },
    ],
  },
  {
    name: 'entra-projection',
    steps: [
      isaac,
      {
        send: 'GET /Users/{isaac}?attributes=userName,emails',
        gives: 200,
        shows: { userName: okta_user.userName, name: undefined, active: undefined, emails: okta_user.emails },
      },
    ],
  },
  {
    name: 'entra-projection-bracket',
    steps: [
      user('two', 'two', {
        emails: [
          { value: 'w@x.example', type: 'work' },
          { value: 'h@x.example', type: 'home' },
        ],
      }),
      {
        send: `GET /Users/{two}?attributes=${encodeURIComponent('emails[type eq "work"]')}`,
        gives: 200,
        shows: { emails: (all: { type: string }[]) => all.length === 1 && all[0]?.type === 'work' },
      },
    ],
  },
  {
    name: 'entra-rename-user',
    steps: [
      isaac,
      patch('isaac', operations({ op: 'Replace', path: 'userName', value: 'renamed' }), {
        shows: { userName: 'renamed' },
      }),
      { send: `GET /Users?${eq('userName', 'renamed')}`, gives: 200, shows: { totalResults: 1 } },
    ],
  },
  {
    name: 'entra-put-user',
    steps: [
      isaac,
      {
        send: 'PUT /Users/{isaac}',
        body: {
          ...okta_user,
          name: { givenName: 'I', familyName: 'B' },
          emails: [{ value: 'i@b.example', type: 'work', primary: true }],
        },
        gives: 200,
      },
      {
        send: 'GET /Users/{isaac}',
        gives: 200,
        shows: { name: { givenName: 'I' }, emails: [{ value: 'i@b.example' }] },
      },
      { send: 'GET /people/{isaac}', rest: true, gives: 200, shows: { first_name: 'I', email: 'i@b.example' } },
    ],
  },
  {
    name: 'entra-delete-user',
    steps: [
      { ...isaac, emits: ['person.created', 'user.provisioned'] },
      { send: 'DELETE /Users/{isaac}', gives: 204, emits: ['person.deleted', 'user.deprovisioned'] },
      { send: 'GET /Users/{isaac}', gives: 404 },
      { send: 'DELETE /Users/{isaac}', gives: 404, shows: refused(404) },
    ],
  },
  {
    name: 'entra-create-refused',
    steps: [
      {
        send: 'POST /Users',
        body: { schemas: [core], displayName: 'x' },
        gives: 400,
        shows: refused(400, 'invalidValue'),
      },
      { send: 'POST /Users', body: '{"userName"', gives: 400, shows: refused(400, 'invalidSyntax') },
    ],
  },
  {
    name: 'entra-duplicate-twice',
    steps: [isaac, ...[1, 2].map(() => ({ ...isaac, gives: 409, shows: refused(409, 'uniqueness') }))],
  },
  {
    name: 'entra-active-boolean',
    steps: [
      isaac,
      patch('isaac', operations({ op: 'Replace', path: 'active', value: false }), { shows: { active: false } }),
      { send: `GET /Users?filter=${encodeURIComponent('active eq false')}`, gives: 200, shows: { totalResults: 1 } },
    ],
  },
  {
    name: 'entra-disable-string',
    steps: [
      isaac,
      patch('isaac', operations({ op: 'Replace', path: 'active', value: 'False' }), { shows: { active: false } }),
      { send: `GET /Users?filter=${encodeURIComponent('active eq "False"')}`, gives: 200, shows: { totalResults: 1 } },
    ],
  },
  {
    name: 'entra-page-of-two',
    steps: [
      ...[user('a', 'a'), user('b', 'b'), user('c', 'c')],
      { send: 'GET /Users?startIndex=1&count=2', gives: 200, shows: { itemsPerPage: 2, totalResults: 3 } },
    ],
  },
  {
    name: 'entra-member-bare-string',
    steps: [
      isaac,
      {
        send: 'POST /Groups',
        body: { schemas: [group, entra_group], displayName: 'G' },
        as: 'g',
        gives: 201,
        shows: { schemas: [group] },
      },
      ...[1, 2].map(() => ({
        ...{ send: 'PATCH /Groups/{g}', gives: 204 },
        body: operations({ op: 'Add', path: 'members', value: '{isaac}' }),
      })),
      { send: 'GET /Groups/{g}', gives: 200, shows: { members: (all: unknown[]) => all.length === 1 } },
      {
        send: 'PATCH /Groups/{g}',
        body: operations({ op: 'Add', path: 'members', value: '019b8d64-4f40-7d13-8e20-44b1c7f9a035' }),
        gives: 400,
        shows: refused(400, 'invalidValue'),
      },
    ],
  },
  {
    name: 'entra-update-many-paths',
    steps: [
      isaac,
      patch(
        'isaac',
        operations(
          ...Object.entries({
            title: 'Lead',
            nickName: 'Izzy',
            'name.givenName': 'I.',
            'name.familyName': 'B.',
            'emails[type eq "work"].value': 'ib@atko.example',
            'phoneNumbers[type eq "mobile"].value': '+4915112345678',
            preferredLanguage: 'de',
            userType: 'Contractor',
            [`${enterprise}:costCenter`]: '4711',
            'addresses[type eq "work"].locality': 'Berlin',
          }).map(([path, value]) => ({ op: 'Replace', path, value })),
        ),
        {
          shows: {
            ...{ title: 'Lead', nickName: 'Izzy', name: { givenName: 'I.', familyName: 'B.' }, userType: 'Contractor' },
            emails: [{ value: 'ib@atko.example', type: 'work' }],
            phoneNumbers: [{ value: '+4915112345678', type: 'mobile' }],
            addresses: [{ locality: 'Berlin', type: 'work' }],
            [enterprise]: { costCenter: '4711' },
          },
          emits: ['person.created', 'user.provisioned', 'person.updated'],
        },
      ),
    ],
  },
  {
    name: 'entra-manager',
    steps: [
      isaac,
      ...[`${enterprise}:manager`, `${enterprise}.manager`].flatMap((path) => [
        patch('isaac', operations({ op: 'Add', path, value: 'boss-1' }), {
          shows: { [enterprise]: { manager: { value: 'boss-1' } } },
        }),
        patch('isaac', operations({ op: 'Replace', path, value: 'boss-2' }), {
          shows: { [enterprise]: { manager: { value: 'boss-2' } } },
        }),
        patch('isaac', operations({ op: 'Remove', path }), { shows: { [enterprise]: undefined } }),
      ]),
    ],
  },
  {
    name: 'entra-restore',
    steps: [
      isaac,
      { send: 'POST /Groups', body: { displayName: 'G', members: [{ value: '{isaac}' }] }, as: 'g', gives: 201 },
      patch('isaac', operations({ op: 'replace', path: 'active', value: false })),
      patch('isaac', operations({ op: 'replace', path: 'active', value: true }), {
        shows: { id: '{isaac}', externalId: okta_user.externalId, active: true, groups: [{ value: '{g}' }] },
      }),
    ],
  },
  {
    name: 'entra-work-email-absent',
    steps: [
      user('bare', 'bare'),
      patch('bare', operations({ op: 'Replace', path: 'emails[type eq "work"].value', value: 'bare@x.example' }), {
        shows: { emails: [{ type: 'work', value: 'bare@x.example' }] },
      }),
    ],
  },
  {
    name: 'entra-group-lifecycle',
    steps: [
      isaac,
      { send: 'POST /Groups', body: { displayName: 'G' }, as: 'g', gives: 201 },
      { send: 'PATCH /Groups/{g}', body: operations({ op: 'Replace', path: 'displayName', value: 'H' }), gives: 204 },
      {
        send: 'PATCH /Groups/{g}',
        body: operations({ op: 'Add', path: 'members', value: [{ value: '{isaac}' }] }),
        gives: 204,
      },
      {
        send: 'PATCH /Groups/{g}',
        body: operations({ op: 'Remove', path: 'members', value: [{ value: '{isaac}' }] }),
        gives: 204,
      },
      { send: 'GET /Groups/{g}', gives: 200, shows: { displayName: 'H', members: undefined } },
      { send: 'DELETE /Groups/{g}', gives: 204 },
      { send: 'POST /Groups', body: { displayName: 'H' }, gives: 201 },
    ],
  },
  {
    name: 'entra-pages-of-five',
    steps: [
      ...eleven((at) => user(`user-${at}`, `user-${at}`)),
      ...[1, 6, 11].map((start) => ({
        send: `GET /Users?startIndex=${start}&count=5`,
        gives: 200,
        shows: { totalResults: 11, Resources: [{ userName: `user-${start - 1}` }] },
      })),
      ...eleven((at) => ({ send: 'POST /Groups', body: { displayName: `group-${at}` }, gives: 201 })),
      ...[1, 6, 11].map((start) => ({
        send: `GET /Groups?startIndex=${start}&count=5`,
        gives: 200,
        shows: { totalResults: 11, Resources: [{ displayName: `group-${start - 1}` }] },
      })),
    ],
  },
  {
    name: 'entra-delta-sync',
    steps: [
      isaac,
      {
        send: `GET /Users?startindex=0&filter=${encodeURIComponent('active eq true and (meta.lastModified ge "2026-01-01T00:00:00Z" and meta.lastModified le "2026-12-31T00:00:00Z")')}`,
        gives: 200,
        shows: { totalResults: 1, startIndex: 1 },
      },
      {
        send: `GET /Users?filter=${encodeURIComponent('meta.lastModified gt 2026-12-31T00:00:00Z')}`,
        gives: 200,
        shows: { totalResults: 0 },
      },
    ],
  },
  {
    name: 'field-removal-takes-access',
    steps: [
      user('ana', 'ana'),
      { send: 'POST /Groups', body: { displayName: 'Support', members: [{ value: '{ana}' }] }, as: 'g', gives: 201 },
      { send: 'GET /people', rest: true, account: 'ana', gives: 401 },
      {
        ...{ send: 'PATCH /provisioning', rest: true, token: 'personal', gives: 200 },
        body: { team_roles: [{ team_id: '{g}', role: 'viewer' }] },
        shows: { team_roles: [{ role: 'viewer', member_count: 1, account_count: 1 }] },
      },
      { send: 'GET /people', rest: true, account: 'ana', gives: 200 },
      {
        ...{ send: 'PATCH /Groups/{g}', gives: 204 },
        body: operations({ op: 'remove', path: 'members[value eq "{ana}"]' }),
      },
      { send: 'GET /people', rest: true, account: 'ana', gives: 401 },
    ],
  },
  {
    name: 'field-repeat-create-keeps',
    steps: [
      isaac,
      { send: 'POST /Users', body: { userName: okta_user.userName }, gives: 409 },
      { send: 'GET /Users/{isaac}', gives: 200, shows: { name: okta_user.name, emails: okta_user.emails } },
    ],
  },
  {
    name: 'field-errors-never-plain',
    steps: [
      { send: 'GET /Shoes', gives: 404, shows: refused(404) },
      { send: 'POST /Users', body: `{"userName": "${'x'.repeat(1_100_000)}"}`, gives: 413, shows: refused(413) },
      {
        send: 'POST /Users',
        body: 'userName=x',
        headers: { 'content-type': 'text/plain' },
        gives: 415,
        shows: refused(415),
      },
      { send: 'PATCH /Schemas', body: {}, gives: 405, shows: refused(405) },
    ],
  },
  {
    name: 'field-put-exists',
    steps: [
      isaac,
      { send: 'PUT /Users/{isaac}', body: okta_user, gives: 200 },
      { send: 'POST /Groups', body: { displayName: 'G' }, as: 'g', gives: 201 },
      { send: 'PUT /Groups/{g}', body: { displayName: 'H' }, gives: 200, shows: { displayName: 'H' } },
    ],
  },
  {
    name: 'field-reassign',
    steps: [
      isaac,
      patch('isaac', operations({ op: 'replace', path: 'active', value: false }), {
        emits: ['person.created', 'user.provisioned', 'user.deprovisioned'],
      }),
      { send: 'PUT /Users/{isaac}', body: okta_user, gives: 200, shows: { active: true }, emits: ['user.provisioned'] },
    ],
  },
  {
    name: 'field-manager-later',
    steps: [
      user('report', 'report', { [enterprise]: { manager: { value: 'the.boss' } } }),
      user('the.boss', 'boss', { displayName: 'The Boss' }),
      {
        ...{ send: 'GET /Users/{report}', gives: 200 },
        shows: { [enterprise]: { manager: { value: '{boss}', displayName: 'The Boss' } } },
      },
    ],
  },
  { name: 'field-no-system-accounts', steps: [{ send: 'GET /Users', gives: 200, shows: { totalResults: 0 } }] },
  {
    name: 'field-link-unmanaged',
    steps: [
      {
        ...{ send: 'POST /people', rest: true, gives: 201, as: 'ana' },
        body: { first_name: 'Ana', last_name: 'Alder', email: 'ana@x.example', job_title: 'Clerk' },
      },
      { send: 'POST /Users', body: { userName: 'ana@x.example' }, gives: 201, shows: { id: '{ana}', title: 'Clerk' } },
      { send: 'POST /Users', body: { userName: 'ana@x.example' }, gives: 409, shows: refused(409, 'uniqueness') },
    ],
  },
  {
    name: 'field-plus-address',
    steps: [
      user('a+b@x.example', 'plus'),
      { send: 'GET /Users?filter=userName+eq+%22a%2Bb@x.example%22', gives: 200, shows: { totalResults: 1 } },
    ],
  },
  {
    name: 'edge-pages',
    steps: [
      isaac,
      ...['startIndex=0', 'startIndex=-5', 'count=9999'].map((query) => ({
        ...{ send: `GET /Users?${query}`, gives: 200, shows: { startIndex: 1, itemsPerPage: 1 } },
      })),
      ...['count=0', 'count=-1'].map((query) => ({
        ...{ send: `GET /Users?${query}`, gives: 200, shows: { totalResults: 1, itemsPerPage: 0, Resources: [] } },
      })),
      { send: 'GET /Users?count=two', gives: 400, shows: refused(400, 'invalidValue') },
      { send: 'GET /Users?filter=title+pr&Filter=title+pr', gives: 400, shows: refused(400, 'invalidValue') },
    ],
  },
  {
    name: 'edge-search-equals-get',
    steps: [
      isaac,
      {
        send: 'POST /Users/.search',
        body: {
          schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'],
          ...{ filter: 'userName sw "isaac"', attributes: ['userName'], startIndex: 1, count: 10 },
        },
        gives: 200,
        shows: { totalResults: 1, Resources: [{ userName: okta_user.userName, active: undefined }] },
      },
    ],
  },
  {
    name: 'edge-versions',
    steps: [
      isaac,
      patch('isaac', operations({ op: 'replace', path: 'title', value: 'A' }), {
        headers: { 'if-match': 'W/"stale"' },
        gives: 412,
        shows: refused(412),
      }),
      patch('isaac', operations({ op: 'replace', path: 'title', value: 'A' }), { headers: { 'if-match': '*' } }),
      { send: 'GET /Users/{isaac}', headers: { 'if-none-match': '*' }, gives: 304 },
    ],
  },
  {
    name: 'edge-bulk',
    steps: [
      {
        send: 'POST /Bulk',
        body: {
          schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
          Operations: [
            {
              method: 'POST',
              path: '/Groups',
              bulkId: 'g',
              data: { displayName: 'G', members: [{ value: 'bulkId:u' }] },
            },
            { method: 'POST', path: '/Users', bulkId: 'u', data: { userName: 'ana' } },
            { method: 'POST', path: '/Users', bulkId: 'v', data: { userName: 'ANA' } },
            { method: 'PATCH', path: '/Users/bulkId:nobody', data: operations({ op: 'remove', path: 'title' }) },
          ],
        },
        gives: 200,
        shows: {
          Operations: [
            { bulkId: 'u', status: '201' },
            { bulkId: 'g', status: '201' },
            { bulkId: 'v', status: '409', response: { scimType: 'uniqueness' } },
            { method: 'PATCH', status: '409' },
          ],
        },
      },
      { send: 'GET /Groups', gives: 200, shows: { Resources: [{ displayName: 'G', members: [{ type: 'User' }] }] } },
      {
        send: 'POST /Bulk',
        body: {
          failOnErrors: 1,
          Operations: [
            { method: 'POST', path: '/Users', bulkId: 'w', data: { userName: 'ana' } },
            { method: 'POST', path: '/Users', bulkId: 'x', data: { userName: 'bea' } },
          ],
        },
        gives: 200,
        shows: { Operations: (all: unknown[]) => all.length === 1 },
      },
      {
        send: 'POST /Bulk',
        body: { Operations: Array.from({ length: 501 }, () => ({})) },
        gives: 413,
        shows: refused(413),
      },
    ],
  },
  {
    name: 'edge-me',
    steps: [{ send: 'GET /Me', gives: 501, shows: refused(501) }],
  },
  {
    name: 'edge-credentials',
    steps: [
      { send: 'GET /Users', token: null, gives: 401, shows: refused(401) },
      { send: 'GET /Users', token: 'personal', gives: 403, shows: refused(403) },
      { send: 'GET /Users', token: 'read', gives: 200 },
      { ...isaac, token: 'read', gives: 403, shows: refused(403) },
    ],
  },
  {
    name: 'edge-home-is-hidden',
    steps: [
      {
        ...{ send: 'POST /people', rest: true, gives: 201, as: 'ana' },
        body: {
          first_name: 'Ana',
          last_name: 'A',
          email: 'ana@x.example',
          personal_email: 'ana@home.example',
          phone: '+49305550101',
        },
      },
      {
        send: 'GET /Users/{ana}',
        token: 'without home',
        gives: 200,
        shows: { emails: (all: unknown[]) => all.length === 1, phoneNumbers: undefined },
      },
      {
        send: `GET /Users?${eq('emails.value', 'ana@home.example')}`,
        token: 'without home',
        gives: 200,
        shows: { totalResults: 0 },
      },
      { send: `GET /Users?${eq('emails.value', 'ana@home.example')}`, gives: 200, shows: { totalResults: 1 } },
      { send: 'PUT /Users/{ana}', body: { userName: 'ana@x.example' }, token: 'without home', gives: 200 },
      {
        send: 'GET /people/{ana}',
        rest: true,
        gives: 200,
        shows: { personal_email: 'ana@home.example', phone: '+49305550101' },
      },
    ],
  },
  {
    name: 'edge-nothing-changes-nothing',
    steps: [
      { ...isaac, emits: ['person.created', 'user.provisioned'] },
      { send: 'PUT /Users/{isaac}', body: okta_user, gives: 200, emits: [] },
      patch('isaac', operations({ op: 'replace', path: 'active', value: true }), { emits: [] }),
    ],
  },
  {
    name: 'edge-cursor',
    steps: [
      ...[user('a', 'a'), user('b', 'b')],
      {
        send: 'GET /Users?cursor=&count=1',
        gives: 200,
        shows: { itemsPerPage: 1, nextCursor: (text: unknown) => typeof text === 'string' },
      },
      { send: 'GET /Users?cursor=made-up', gives: 400, shows: refused(400, 'invalidCursor') },
      { send: 'GET /Users?cursor=&count=201', gives: 400, shows: refused(400, 'invalidCount') },
    ],
  },
]
