/** Requests of identity providers as they send them, with the answers that they have to get (design scim.md 14). */

export interface Step {
  /** `GET /Users?…`; `{nora}` is the id that an earlier step has given that name to. */
  readonly send: string
  /** A function makes it of the answer that an earlier step has kept. */
  readonly body?: object | string | ((known: Readonly<Record<string, unknown>>) => object)
  readonly headers?: Readonly<Record<string, string>>
  /** Another credential than the token of the organization; null: none. */
  readonly token?: 'bad' | 'read' | 'write' | 'other' | 'without home' | 'personal' | 'of another' | null
  readonly gives: number
  /** Parts of the answer; a function answers whether it holds. */
  readonly shows?: object
  /** Headers of the answer. */
  readonly heads?: Readonly<Record<string, string>>
  /** Keeps the whole answer for later steps, of which one more is the same, or the first of its resources. */
  readonly known?: true
  readonly same?: true
  /** The same but for these members and the time of the change. */
  readonly same_but?: object
  /** So quickly, at the best of some tries. */
  readonly within_ms?: number
  /** Names the id of the answer. */
  readonly as?: string
  /** Names other members of the answer. */
  readonly keeps?: Readonly<Record<string, string>>
  /**
   * Called with a personal token of the account of this user, which is made and linked at its first use, as a member with this
   * role if any; `{ana-member}` is the member then.
   */
  readonly account?: string
  readonly role?: 'developer'
  /** A call of the REST API of the service instead. */
  readonly rest?: true
  /** So much later than the step before. */
  readonly after_s?: number
  /** Types of the events that the step makes, in their order; absent: none. */
  readonly emits?: readonly string[]
  /** Audit entries of the organization that the step writes: the action, and the fields that changed; absent: none. */
  readonly audits?: readonly string[]
}

export interface Case {
  readonly name: string
  readonly steps: readonly Step[]
}

export const core = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const stint = 'urn:ietf:params:scim:schemas:extension:stint:2.0:User'
const group = 'urn:ietf:params:scim:schemas:core:2.0:Group'
const entra_group = 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'
const patch_op = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
const error = 'urn:ietf:params:scim:api:messages:2.0:Error'

const json = { 'content-type': 'application/json' }
const eq = (attribute: string, value: string) => `filter=${encodeURIComponent(`${attribute} eq "${value}"`)}`
/** A filter in which ids can be filled in. */
const filtered = (filter: string) =>
  `filter=${encodeURIComponent(filter).replaceAll('%7B', '{').replaceAll('%7D', '}')}`
const operations = (...Operations: object[]) => ({ schemas: [patch_op], Operations })
const refused = (status: number, scimType?: string) => ({
  ...{
    schemas: [error],
    status: String(status),
    detail: (text: unknown) => typeof text === 'string' && text.length > 5,
  },
  ...(scimType && { scimType }),
})

/** One audit entry and events, the things that a change leaves for others to read. */
const writes = (audit: string, ...emits: string[]) => ({ emits, audits: [audit] })
const updates = (...fields: string[]) => writes(['scim.users.patch', ...fields].join(' '), 'person.updated')
const made = writes('scim.users.create', 'person.created', 'user.provisioned')
/** A change of something that only SCIM shows. */
const changes = (...fields: string[]) => writes(['scim.users.patch', ...fields].join(' '))
const made_group = writes('scim.groups.create', 'team.created')

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
const isaac = { send: 'POST /Users', body: okta_user, as: 'isaac', gives: 201, ...made } satisfies Step
/** The same once more, refused. */
const again = { send: 'POST /Users', body: okta_user, gives: 409, shows: refused(409, 'uniqueness') } satisfies Step
const user = (userName: string, as: string, more: object = {}): Step => ({
  ...{ send: 'POST /Users', body: { schemas: [core], userName, ...more }, as, gives: 201, ...made },
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

const group_of = (...members: string[]): Step => ({
  ...{ send: 'POST /Groups', as: 'g', gives: 201 },
  body: { displayName: 'G', members: members.map((member) => ({ value: `{${member}}` })) },
})
const challenge = 'Bearer resource_metadata="https://stint.test/.well-known/oauth-protected-resource/rest/v2"'
/** A body that the method takes. */
const bodyOf = (method: string, whole: object = okta_user) => {
  if (method === 'PUT') return { body: whole }
  return method === 'PATCH' ? { body: operations({ op: 'remove', path: 'externalId' }) } : {}
}
/** Writes of another organization are not those of the case. */
const untold = { emits: [], audits: [] }
const by_access = { token: null, headers: { authorization: 'Bearer {access}' } } as const

/** Every path that Entra maps to by default has its attribute in the schemas; `externalId` is common to all (RFC 7643 §3.1). */
function coversMapping(schemas: Described[]): boolean {
  const flat = (prefix: string, { name, subAttributes = [] }: Described['attributes'][number]): string[] => [
    `${prefix}${name}`,
    ...subAttributes.map((sub) => `${prefix}${name}.${sub.name}`),
  ]
  const known = new Set(
    schemas.flatMap(({ id, attributes }) =>
      attributes.flatMap((one) => flat(id === core || id === group ? '' : `${id}:`, one)),
    ),
  )
  const missing = mapped.map((path) => path.replace(/\[(\w+).*?\]/, '')).filter((path) => !known.has(path))
  return missing.length === 0
}
interface Described {
  id: string
  attributes: { name: string; subAttributes?: { name: string }[] }[]
}
const mapped = [
  ...['userName', 'active', 'displayName', 'title', 'preferredLanguage', 'nickName', 'userType', 'locale', 'timezone'],
  ...['name.givenName', 'name.familyName', 'name.formatted', 'emails[type eq "work"].value', 'profileUrl'],
  ...['formatted', 'streetAddress', 'locality', 'region', 'postalCode', 'country'].map(
    (part) => `addresses[type eq "work"].${part}`,
  ),
  ...['work', 'mobile', 'fax'].map((type) => `phoneNumbers[type eq "${type}"].value`),
  ...['roles[primary eq "True"].value', 'roles[primary eq "True"].display', 'roles[primary eq "True"].type'],
  ...['employeeNumber', 'department', 'costCenter', 'division', 'organization', 'manager'].map(
    (name) => `${enterprise}:${name}`,
  ),
  ...['members', 'members.value'],
]

const eleven = (make: (at: number) => Step): Step[] => Array.from({ length: 11 }, (_, at) => make(at))

/** Three pages of eleven, read twice: each resource is on one of them, in the order of its making. */
const pagesOfFive = (list: string, name: string, prefix: string): Step[] =>
  [1, 6, 11, 1, 6, 11].map((startIndex) => {
    const itemsPerPage = startIndex === 11 ? 1 : 5
    const names = Array.from({ length: itemsPerPage }, (_, at) => `${prefix}-${startIndex + at - 1}`)
    return {
      ...{ send: `GET /${list}?startIndex=${startIndex}&count=5`, gives: 200 },
      shows: {
        ...{ totalResults: 11, itemsPerPage, startIndex },
        Resources: (all: Record<string, unknown>[]) => all.map((one) => one[name]).join() === names.join(),
      },
    }
  })

/** An answer that has these members and no others. */
const hasOnly =
  (...names: string[]) =>
  (body: object) =>
    Object.keys(body).toSorted().join() === names.join()

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
      },
    ],
  },
  {
    name: 'edge-location',
    steps: [
      {
        ...{ ...isaac, keeps: { version: 'meta.version', at: 'meta.location' } },
        heads: { location: '{at}', etag: '{version}' },
        shows: { meta: { location: 'https://stint.test/scim/v2/Users/{isaac}', resourceType: 'User' } },
      },
      {
        ...{ ...group_of('isaac'), ...writes('scim.groups.create', 'team.created', 'person.updated') },
        heads: { location: 'https://stint.test/scim/v2/Groups/{g}' },
      },
    ],
  },
  {
    name: 'edge-discovery',
    steps: ['ServiceProviderConfig', 'ResourceTypes', 'Schemas', 'ResourceTypes/User', `Schemas/${core}`].flatMap(
      (path) => [
        { send: `GET /${path}`, gives: 200 },
        ...['POST', 'PUT', 'PATCH', 'DELETE'].map((method) => ({
          ...{ send: `${method} /${path}`, gives: 405, shows: refused(405), heads: { allow: 'GET, HEAD' } },
        })),
        { send: `GET /${path}?filter=id+pr`, gives: 403, shows: refused(403) },
      ],
    ),
  },
  {
    name: 'okta-create-again',
    steps: [isaac, again],
  },
  {
    name: 'okta-get-listed',
    steps: [
      isaac,
      {
        ...{ send: 'GET /Users/{isaac}', gives: 200, known: true },
        shows: { ...okta_user, schemas: [core, stint], groups: undefined },
      },
      { send: 'GET /Users?startIndex=1&count=2', gives: 200, same: true },
    ],
  },
  {
    name: 'okta-get-created',
    steps: [
      { ...isaac, known: true },
      { send: 'GET /Users/{isaac}', gives: 200, same: true, shows: { id: '{isaac}', displayName: 'Isaac Brock' } },
    ],
  },
  {
    name: 'okta-filter-other-case',
    steps: [
      isaac,
      { send: `GET /Users?${eq('userName', 'ISAAC.BROCK@ATKO.EXAMPLE')}`, gives: 200, shows: { totalResults: 1 } },
    ],
  },
  {
    name: 'okta-groups-quick',
    steps: [{ send: 'GET /Groups', gives: 200, within_ms: 600, shows: { Resources: [] } }],
  },
  {
    name: 'okta-bad-token',
    steps: [{ send: 'GET /Users?startIndex=1&count=1', token: 'bad', gives: 401, shows: refused(401) }],
  },
  {
    name: 'okta-profile-push',
    steps: [
      isaac,
      { send: 'GET /Users/{isaac}', gives: 200, known: true },
      {
        ...{ send: 'PUT /Users/{isaac}', body: (known) => ({ ...known, title: 'Lead' }), gives: 200 },
        same_but: { title: 'Lead' },
        ...writes('scim.users.replace title', 'person.updated'),
      },
    ],
  },
  {
    name: 'okta-deactivate-pathless',
    steps: [
      isaac,
      patch('isaac', operations({ op: 'replace', value: { active: false } }), {
        shows: { active: false },
        ...writes('scim.users.patch active', 'user.deprovisioned'),
      }),
      { send: 'GET /Users', gives: 200, shows: { totalResults: 1 } },
    ],
  },
  {
    name: 'okta-deactivate-put',
    steps: [
      isaac,
      {
        send: 'PUT /Users/{isaac}',
        body: { ...okta_user, active: false },
        gives: 200,
        shows: { active: false },
        ...writes('scim.users.replace active', 'user.deprovisioned'),
      },
      { send: `GET /Users?filter=${encodeURIComponent('active eq false')}`, gives: 200, shows: { totalResults: 1 } },
    ],
  },
  {
    name: 'okta-group-empty',
    steps: [
      {
        ...{ send: 'POST /Groups', body: { schemas: [group], displayName: 'Test SCIMv2', members: [] }, gives: 201 },
        shows: { displayName: 'Test SCIMv2' },
        ...made_group,
      },
    ],
  },
  {
    name: 'okta-group-delta',
    steps: [
      isaac,
      user('ana', 'ana'),
      { ...group_of('isaac'), ...writes('scim.groups.create', 'team.created', 'person.updated') },
      {
        send: 'PATCH /Groups/{g}',
        body: operations(
          { op: 'remove', path: 'members[value eq "{isaac}"]' },
          { op: 'add', path: 'members', value: [{ value: '{ana}', display: 'Ana' }] },
        ),
        gives: 204,
        ...writes('scim.groups.patch members', 'person.updated × 2'),
      },
      { send: 'GET /Groups/{g}', gives: 200, shows: { members: (all: unknown[]) => all.length === 1 } },
      { send: 'GET /Groups/{g}', gives: 200, shows: { members: [{ value: '{ana}', type: 'User' }] } },
    ],
  },
  {
    name: 'okta-group-push',
    steps: [
      ...[user('a', 'a'), user('b', 'b'), user('c', 'c')],
      { ...group_of('a', 'b'), ...writes('scim.groups.create', 'team.created', 'person.updated × 2') },
      {
        ...{ send: 'PATCH /Groups/{g}', gives: 204 },
        ...writes('scim.groups.patch members', 'person.updated × 2'),
        body: operations({ op: 'replace', path: 'members', value: [{ value: '{b}' }, { value: '{c}' }] }),
      },
      { send: 'GET /Groups/{g}', gives: 200, shows: { members: [{ value: '{b}' }, { value: '{c}' }] } },
    ],
  },
  {
    name: 'okta-group-rename',
    steps: [
      { send: 'POST /Groups', body: { displayName: 'Old' }, as: 'g', gives: 201, ...made_group },
      ...[writes('scim.groups.patch name', 'team.updated'), {}].flatMap((written, at) => [
        {
          ...{ send: 'PATCH /Groups/{g}', gives: 204, ...written },
          body: operations({ op: 'replace', value: { id: '{g}', displayName: 'New' } }),
        },
        {
          ...{ send: 'GET /Groups/{g}', gives: 200, ...(at === 0 ? { keeps: { version: 'meta.version' } } : {}) },
          shows: { displayName: 'New', meta: { version: '{version}' } },
        },
      ]),
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
        ...made,
      },
    ],
  },
  {
    name: 'entra-create-enterprise',
    steps: [
      {
        ...{ send: 'POST /Users', body: entra_user, gives: 201 },
        shows: { [enterprise]: { employeeNumber: '7', department: 'Sales' }, schemas: [core, enterprise] },
        ...writes('scim.users.create', 'department.created', 'person.created', 'user.provisioned'),
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
        shows: hasOnly('emails', 'id', 'schemas', 'userName'),
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
      {
        send: `GET /Users/{two}?attributes=${encodeURIComponent('emails[type eq "work"]')}`,
        gives: 200,
        shows: hasOnly('emails', 'id', 'schemas'),
      },
    ],
  },
  {
    name: 'entra-rename-user',
    steps: [
      isaac,
      patch('isaac', operations({ op: 'Replace', path: 'userName', value: 'renamed' }), {
        shows: { userName: 'renamed' },
        ...changes('userName'),
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
        ...writes('scim.users.replace emails name.familyName name.givenName', 'person.updated'),
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
      isaac,
      {
        ...{ send: 'DELETE /Users/{isaac}', gives: 204 },
        ...writes('scim.users.delete', 'person.deleted', 'user.deprovisioned'),
      },
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
    steps: [isaac, again, again],
  },
  {
    name: 'entra-active-boolean',
    steps: [
      isaac,
      patch('isaac', operations({ op: 'Replace', path: 'active', value: false }), {
        shows: { active: false },
        ...writes('scim.users.patch active', 'user.deprovisioned'),
      }),
      { send: 'GET /Users/{isaac}', gives: 200, shows: { active: false } },
      { send: `GET /Users?filter=${encodeURIComponent('active eq false')}`, gives: 200, shows: { totalResults: 1 } },
    ],
  },
  {
    name: 'entra-disable-string',
    steps: [
      isaac,
      { send: 'GET /contracts', rest: true, account: 'isaac', role: 'developer', gives: 200 },
      patch('isaac', operations({ op: 'Replace', path: 'active', value: 'False' }), {
        shows: { active: false },
        ...writes('scim.users.patch active', 'user.deprovisioned', 'api-token.revoked'),
      }),
      { send: 'GET /contracts', rest: true, account: 'isaac', gives: 401 },
      { send: 'GET /Users/{isaac}', gives: 200, shows: { active: false } },
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
        ...made_group,
      },
      ...[writes('scim.groups.patch members', 'person.updated'), {}].map((written) => ({
        ...{ send: 'PATCH /Groups/{g}', gives: 204, ...written },
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
          ...writes(
            'scim.users.patch addresses costCenter emails name.familyName name.givenName nickName phoneNumbers preferredLanguage title userType',
            'person.updated',
          ),
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
          ...changes('manager'),
        }),
        patch('isaac', operations({ op: 'Replace', path, value: 'boss-2' }), {
          shows: { [enterprise]: { manager: { value: 'boss-2' } } },
          ...changes('manager'),
        }),
        patch('isaac', operations({ op: 'Remove', path, value: 'boss-2' }), {
          shows: { [enterprise]: undefined },
          ...changes('manager'),
        }),
      ]),
    ],
  },
  {
    name: 'entra-restore',
    steps: [
      isaac,
      { ...group_of('isaac'), ...writes('scim.groups.create', 'team.created', 'person.updated') },
      patch('isaac', operations({ op: 'replace', path: 'active', value: false }), {
        ...writes('scim.users.patch active', 'user.deprovisioned'),
      }),
      patch('isaac', operations({ op: 'replace', path: 'active', value: true }), {
        ...writes('scim.users.patch active', 'user.provisioned'),
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
        ...updates('emails'),
      }),
    ],
  },
  {
    name: 'entra-group-lifecycle',
    steps: [
      isaac,
      { send: 'POST /Groups', body: { displayName: 'G' }, as: 'g', gives: 201, ...made_group },
      {
        ...{ send: 'PATCH /Groups/{g}', gives: 204, ...writes('scim.groups.patch name', 'team.updated') },
        body: operations({ op: 'Replace', path: 'displayName', value: 'H' }),
      },
      ...['Add', 'Remove'].map((op) => ({
        ...{ send: 'PATCH /Groups/{g}', gives: 204, ...writes('scim.groups.patch members', 'person.updated') },
        body: operations({ op, path: 'members', value: [{ value: '{isaac}' }] }),
      })),
      { send: 'GET /Groups/{g}', gives: 200, shows: { displayName: 'H', members: undefined } },
      { send: 'DELETE /Groups/{g}', gives: 204, ...writes('scim.groups.delete', 'team.deleted') },
      { send: 'POST /Groups', body: { displayName: 'H' }, gives: 201, ...made_group },
    ],
  },
  {
    name: 'entra-pages-of-five',
    steps: [
      ...eleven((at) => user(`user-${at}`, `user-${at}`)),
      ...pagesOfFive('Users', 'userName', 'user'),
      ...eleven((at) => ({ send: 'POST /Groups', body: { displayName: `group-${at}` }, gives: 201, ...made_group })),
      ...pagesOfFive('Groups', 'displayName', 'group'),
    ],
  },
  {
    name: 'entra-delta-sync',
    steps: [
      ...[user('a', 'a'), { ...user('b', 'b'), after_s: 60 }, { ...user('c', 'c'), after_s: 60 }],
      patch('b', operations({ op: 'replace', path: 'title', value: 'Lead' }), {
        ...{ after_s: 60, keeps: { changed: 'meta.lastModified' }, ...updates('title') },
      }),
      patch('c', operations({ op: 'replace', path: 'active', value: false }), {
        ...writes('scim.users.patch active', 'user.deprovisioned'),
      }),
      {
        send: `GET /Users?startindex=0&${filtered('active eq true and (meta.lastModified ge "{changed}" and meta.lastModified le "{changed}")')}`,
        gives: 200,
        shows: { totalResults: 1, startIndex: 1, Resources: [{ id: '{b}' }] },
      },
      { send: `GET /Users?${filtered('meta.lastModified gt {changed}')}`, gives: 200, shows: { totalResults: 0 } },
    ],
  },
  {
    name: 'entra-schema-covers-mapping',
    steps: [{ send: 'GET /Schemas', gives: 200, shows: { Resources: coversMapping } }],
  },
  {
    name: 'entra-client-credentials',
    steps: (['client_secret_basic', 'client_secret_post'] as const).flatMap((method): Step[] => [
      {
        ...{
          send: 'POST /oauth-clients',
          rest: true,
          gives: 201,
          keeps: { client: 'client_id', secret: 'client_secret' },
        },
        body: {
          ...{ name: 'Entra', grant_types: ['client_credentials'], token_endpoint_auth_method: method },
          scopes: ['scim:read', 'scim:write'],
        },
        ...writes(
          'oauth_clients.create application_type grant_types name redirect_uris resources scopes sensitive_data token_endpoint_auth_method',
        ),
      },
      {
        ...{ send: 'POST /oauth/token', token: null, gives: 200, keeps: { access: 'access_token' } },
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          ...(method === 'client_secret_basic' && { authorization: 'Basic base64({client}:{secret})' }),
        },
        body: `grant_type=client_credentials${method === 'client_secret_post' ? '&client_id={client}&client_secret={secret}' : ''}`,
        shows: { token_type: 'Bearer', expires_in: 3_600, refresh_token: undefined },
        ...writes('oauth_grants.create scopes sensitive_data'),
      },
      { send: 'GET /Users?count=1', ...by_access, gives: 200 },
      { ...user(method, method), ...by_access },
      { send: 'GET /Users?count=1', ...by_access, after_s: 3_599, gives: 200 },
      { send: 'GET /Users?count=1', ...by_access, after_s: 2, gives: 401, shows: refused(401) },
    ]),
  },
  {
    name: 'field-invited-is-active',
    steps: [
      {
        ...{ send: 'POST /contracts', rest: true, gives: 201, as: 'contract', keeps: { ana: 'worker_id' } },
        body: {
          ...{ type: 'fixed_rate', title: 'Platform engineering', start_date: '2027-01-01' },
          worker: { first_name: 'Ana', last_name: 'Alder', email: 'ana@x.example', country: 'DE' },
          compensation: { amount: '4200.00', currency: 'EUR', frequency: 'monthly' },
        },
        ...writes('contracts.create compensation start_date title type worker', 'person.created', 'contract.created'),
      },
      {
        ...{ send: 'POST /contracts/{contract}/sign', rest: true, gives: 200 },
        body: { signer_name: 'Nora Pine', terms_version: 1 },
        ...writes('contracts.sign signer_name terms_version', 'contract.signature.added'),
      },
      {
        send: 'POST /contracts/{contract}/invite',
        rest: true,
        body: {},
        gives: 200,
        ...writes('contracts.invite', 'contract.invitation.sent'),
      },
      { send: `GET /Users?${eq('userName', 'ana@x.example')}`, gives: 200, shows: { Resources: [{ active: true }] } },
      { send: 'GET /Users/{ana}', gives: 200, shows: { active: true } },
    ],
  },
  {
    name: 'field-removal-takes-access',
    steps: [
      user('ana', 'ana'),
      {
        send: 'POST /Groups',
        body: { displayName: 'Support', members: [{ value: '{ana}' }] },
        as: 'g',
        gives: 201,
        ...writes('scim.groups.create', 'team.created', 'person.updated'),
      },
      { send: 'GET /people', rest: true, account: 'ana', gives: 401 },
      {
        ...{ send: 'PATCH /provisioning', rest: true, token: 'personal', gives: 200 },
        body: { team_roles: [{ team_id: '{g}', role: 'viewer' }] },
        shows: { team_roles: [{ role: 'viewer', member_count: 1, account_count: 1 }] },
        ...writes('provisioning.update role.{g}'),
      },
      { send: 'GET /people', rest: true, account: 'ana', gives: 200 },
      {
        ...{ send: 'PATCH /Groups/{g}', gives: 204 },
        body: operations({ op: 'remove', path: 'members[value eq "{ana}"]' }),
        ...writes('scim.groups.patch members', 'person.updated'),
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
      { send: 'POST /Groups', body: { displayName: 'G' }, as: 'g', gives: 201, ...made_group },
      {
        ...{ send: 'PUT /Groups/{g}', body: { displayName: 'H' }, gives: 200, shows: { displayName: 'H' } },
        ...writes('scim.groups.replace name', 'team.updated'),
      },
    ],
  },
  {
    name: 'field-reassign',
    steps: [
      isaac,
      { send: 'GET /contracts', rest: true, account: 'isaac', role: 'developer', gives: 200 },
      patch('isaac', operations({ op: 'replace', path: 'active', value: false }), {
        ...writes('scim.users.patch active', 'user.deprovisioned', 'api-token.revoked'),
      }),
      { send: 'GET /members/{isaac-member}', rest: true, token: 'personal', gives: 200, shows: { status: 'disabled' } },
      {
        ...{ send: 'PUT /Users/{isaac}', body: okta_user, gives: 200, shows: { active: true } },
        ...writes('scim.users.replace active', 'user.provisioned'),
      },
      // What ended stays ended; a sign-in gives anew what the member may.
      { send: 'GET /contracts', rest: true, account: 'isaac', gives: 401 },
      {
        ...{ send: 'GET /members/{isaac-member}', rest: true, token: 'personal', gives: 200 },
        shows: { status: 'active', role: 'developer' },
      },
    ],
  },
  {
    name: 'field-manager-later',
    steps: [
      user('report', 'report', { [enterprise]: { manager: { value: 'the.boss' } } }),
      {
        ...user('the.boss', 'boss', { displayName: 'The Boss' }),
        ...writes('scim.users.create', 'person.created', 'user.provisioned', 'person.updated'),
      },
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
        ...writes('people.create email first_name job_title last_name', 'person.created'),
      },
      {
        ...{ send: 'POST /Users', body: { userName: 'ana@x.example' }, gives: 201 },
        shows: { id: '{ana}', title: 'Clerk' },
        ...writes('scim.users.create', 'user.provisioned'),
      },
      { send: 'POST /Users', body: { userName: 'ana@x.example' }, gives: 409, shows: refused(409, 'uniqueness') },
    ],
  },
  {
    name: 'field-plus-address',
    steps: [
      user('a+b@x.example', 'plus', { emails: [{ value: 'a+b@x.example', type: 'work' }] }),
      user('a b@x.example', 'blank'),
      ...['userName', 'emails.value'].map((name) => ({
        send: `GET /Users?filter=${name}+eq+%22a%2Bb@x.example%22`,
        ...{ gives: 200, shows: { totalResults: 1, Resources: [{ id: '{plus}', userName: 'a+b@x.example' }] } },
      })),
      { send: 'GET /Users?filter=userName+eq+%22a+b@x.example%22', gives: 200, shows: { Resources: [{ id: '{blank}' }] } },
      {
        ...{ send: 'POST /Users/.search', body: { filter: 'userName eq "a+b@x.example"' }, gives: 200 },
        shows: { totalResults: 1, Resources: [{ id: '{plus}' }] },
      },
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
      ...[
        isaac,
        user('ana', 'ana'),
        { send: 'POST /Groups', body: { displayName: 'G' }, as: 'g', gives: 201, ...made_group },
      ],
      ...[
        { send: 'GET /Users?filter=userName+sw+%22isaac%22&attributes=userName&startIndex=1&count=10' },
        {
          send: 'POST /Users/.search',
          body: {
            schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'],
            ...{ filter: 'userName sw "isaac"', attributes: ['userName'], startIndex: 1, count: 10 },
          },
        },
      ].map((step) => ({
        ...{ ...step, gives: 200 },
        shows: {
          ...{ totalResults: 1, itemsPerPage: 1, startIndex: 1 },
          Resources: [{ id: '{isaac}', userName: okta_user.userName, active: undefined }],
        },
      })),
      {
        ...{ send: 'POST /.search', body: { filter: 'id pr', sortBy: 'id' }, gives: 200 },
        shows: { totalResults: 3, Resources: (all: unknown[]) => all.length === 3 },
      },
      {
        ...{ send: 'POST /.search', body: {}, gives: 200 },
        shows: { totalResults: 3, Resources: [{ id: '{isaac}' }, { id: '{ana}' }, { id: '{g}', displayName: 'G' }] },
      },
      {
        ...{ send: 'POST /.search', body: { filter: 'not (userName pr)' }, gives: 200 },
        shows: { totalResults: 1, Resources: [{ id: '{g}' }] },
      },
      {
        ...{ send: 'POST /.search', body: { schemas: [patch_op] }, gives: 400 },
        shows: refused(400, 'invalidSyntax'),
      },
    ],
  },
  {
    name: 'edge-versions',
    steps: [
      { ...isaac, keeps: { version: 'meta.version' } },
      ...['PUT', 'PATCH', 'DELETE'].map((method) => ({
        ...{ send: `${method} /Users/{isaac}`, headers: { 'if-match': 'W/"stale"' } },
        ...bodyOf(method),
        ...{ gives: 412, shows: refused(412) },
      })),
      { send: 'GET /Users/{isaac}', headers: { 'if-none-match': '{version}' }, gives: 304 },
      patch('isaac', operations({ op: 'replace', path: 'title', value: 'A' }), {
        ...{ headers: { 'if-match': '{version}' }, keeps: { next: 'meta.version' }, heads: { etag: '{next}' } },
        ...updates('title'),
      }),
      patch('isaac', operations({ op: 'replace', path: 'title', value: 'B' }), {
        ...{ headers: { 'if-match': '{version}' }, gives: 412, shows: refused(412) },
      }),
      patch('isaac', operations({ op: 'replace', path: 'title', value: 'B' }), {
        ...{ headers: { 'if-match': '*' }, ...updates('title') },
      }),
      { send: 'GET /Users/{isaac}', headers: { 'if-none-match': '{next}' }, gives: 200, shows: { title: 'B' } },
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
        emits: [...made.emits, 'team.created', 'person.updated'],
        audits: ['scim.users.create', 'scim.groups.create'],
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
      { send: 'GET /Users', token: null, gives: 401, shows: refused(401), heads: { 'www-authenticate': challenge } },
      { send: 'GET /ServiceProviderConfig', token: null, gives: 401, shows: refused(401) },
      { send: 'GET /Users', token: 'personal', gives: 403, shows: refused(403) },
    ],
  },
  {
    name: 'edge-scopes',
    steps: [
      ...[isaac, { ...group_of('isaac'), ...writes('scim.groups.create', 'team.created', 'person.updated') }],
      ...(['read', 'write', 'other'] as const).flatMap((token) => [
        ...['GET /Users', 'GET /Users/{isaac}', 'GET /Groups', 'GET /Groups/{g}'].map((send) => ({
          ...{ send, token, gives: token === 'other' ? 403 : 200, ...(token === 'other' && { shows: refused(403) }) },
        })),
        ...['/Users', '/Groups', ''].map((path) => ({
          ...{ send: `POST ${path}/.search`, token, body: {}, gives: token === 'other' ? 403 : 200 },
        })),
      ]),
      ...(['read', 'other'] as const).flatMap((token) =>
        ['Users/{isaac}', 'Groups/{g}'].flatMap((path) =>
          Object.entries({ POST: 'create', PUT: 'replace', PATCH: 'patch', DELETE: 'delete' }).map(([method, verb]) => {
            const [list = ''] = path.split('/')
            return {
              ...{ send: `${method} /${method === 'POST' ? list : path}`, token, gives: 403, shows: refused(403) },
              ...(method !== 'DELETE' && { body: {} }),
              ...writes(`scim.${list.toLowerCase()}.${verb}.refused`),
            }
          }),
        ),
      ),
      {
        ...{ send: 'POST /Bulk', token: 'read', gives: 200 },
        body: { Operations: [{ method: 'DELETE', path: '/Users/{isaac}' }] },
        shows: { Operations: [{ status: '403' }] },
        ...writes('scim.users.delete.refused'),
      },
      { ...user('ana', 'ana'), token: 'write' },
    ],
  },
  {
    name: 'edge-foreign-ids',
    steps: [
      { ...user('theirs', 'theirs'), token: 'of another', ...untold },
      { ...group_of('theirs'), token: 'of another', ...untold },
      isaac,
      { send: 'POST /Groups', body: { displayName: 'Ours' }, as: 'ours', gives: 201, ...made_group },
      ...['Users/{theirs}', 'Groups/{g}'].flatMap((path) =>
        ['GET', 'PUT', 'PATCH', 'DELETE'].map((method) => ({
          ...{ send: `${method} /${path}`, gives: 404, shows: refused(404) },
          ...bodyOf(method, path.startsWith('Users') ? okta_user : { displayName: 'Theirs' }),
        })),
      ),
      {
        ...{ send: 'PATCH /Groups/{ours}', gives: 400, shows: refused(400, 'invalidValue') },
        body: operations({ op: 'add', path: 'members', value: [{ value: '{theirs}' }] }),
      },
      {
        ...{ send: 'POST /Bulk', gives: 200 },
        body: {
          Operations: [
            { method: 'PATCH', path: '/Users/{theirs}', data: operations({ op: 'remove', path: 'title' }) },
            { method: 'PUT', path: '/Groups/{g}', data: { displayName: 'Theirs' } },
            { method: 'DELETE', path: '/Groups/{g}' },
            { method: 'POST', path: '/Groups', bulkId: 'x', data: { displayName: 'X', members: ['{theirs}'] } },
          ],
        },
        shows: { Operations: [{ status: '404' }, { status: '404' }, { status: '404' }, { status: '400' }] },
      },
      { send: `GET /Users?${filtered('id eq "{theirs}"')}`, gives: 200, shows: { totalResults: 0 } },
      { send: `GET /Users?${eq('userName', 'theirs')}`, gives: 200, shows: { totalResults: 0 } },
      patch('isaac', operations({ op: 'add', path: `${enterprise}:manager`, value: '{theirs}' }), {
        ...{
          shows: { [enterprise]: { manager: { value: '{theirs}', displayName: undefined } } },
          ...changes('manager'),
        },
      }),
      { send: 'GET /Users/{theirs}', token: 'of another', gives: 200, shows: { groups: [{ value: '{g}' }] } },
    ],
  },
  {
    name: 'edge-quirks',
    steps: [
      isaac,
      ...['?aadOptscim062020', '/?aadOptscim062020&startIndex=1', '/'].map((end) => ({
        ...{ send: `GET /Users${end}`, gives: 200, shows: { totalResults: 1 } },
      })),
      patch('isaac', { Operations: [{ op: 'ADD', value: { 'name.givenName': 'I.' } }] }, updates('name.givenName')),
      patch(
        'isaac',
        { schemas: [core], Operations: [{ op: 'Add', value: { title: 'x' } }] },
        {
          ...{ gives: 400, shows: refused(400, 'invalidSyntax') },
        },
      ),
      {
        send: 'POST /Users',
        body: { ...okta_user, schemas: [patch_op] },
        gives: 400,
        shows: refused(400, 'invalidSyntax'),
      },
      { send: 'POST /Users', body: { ...okta_user, USERNAME: 'x' }, gives: 400, shows: refused(400, 'invalidSyntax') },
    ],
  },
  {
    name: 'edge-limits',
    steps: [
      isaac,
      ...[
        ...[`userName eq "${'x'.repeat(4_096)}"`, '('.repeat(4_000), Array(65).fill('title pr').join(' or ')],
        ...[`${'not ('.repeat(17)}title pr${')'.repeat(17)}`, `title eq "${'x'.repeat(1_025)}"`, 'shoe eq 44'],
      ].map((filter) => ({
        ...{ send: 'POST /Users/.search', body: { filter }, gives: 400, shows: refused(400, 'invalidFilter') },
      })),
      patch('isaac', operations(...Array(1_001).fill({ op: 'remove', path: 'title' })), {
        ...{ gives: 400, shows: refused(400, 'tooMany') },
      }),
      patch(
        'isaac',
        operations({ op: 'add', path: 'title', value: 'Lead' }, { op: 'replace', path: 'active', value: 'x' }),
        {
          ...{ gives: 400, shows: refused(400, 'invalidValue') },
        },
      ),
      { send: 'GET /Users/{isaac}', gives: 200, shows: { title: undefined } },
      patch('isaac', operations({ op: 'add', path: 'emails', value: Array(51).fill({ value: 'a@x.example' }) }), {
        ...{ gives: 400, shows: refused(400, 'invalidValue') },
      }),
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
        ...writes('people.create email first_name last_name personal_email phone', 'person.created'),
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
      {
        send: 'PUT /Users/{ana}',
        body: { userName: 'ana@x.example' },
        token: 'without home',
        gives: 200,
        // Access that nobody spoke of stays as it is.
        ...writes('scim.users.replace'),
      },
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
      isaac,
      { send: 'PUT /Users/{isaac}', body: okta_user, gives: 200 },
      patch('isaac', operations({ op: 'replace', path: 'active', value: true })),
    ],
  },
  {
    name: 'edge-cursor',
    steps: [
      ...[user('a', 'a'), user('b', 'b'), user('c', 'c')],
      {
        ...{ send: 'GET /Users?cursor=&count=1', gives: 200, keeps: { second: 'nextCursor' } },
        shows: { itemsPerPage: 1, totalResults: 3, startIndex: undefined, Resources: [{ userName: 'a' }] },
      },
      {
        ...{ send: 'GET /Users?cursor={second}&count=1', gives: 200, keeps: { third: 'nextCursor' } },
        shows: { itemsPerPage: 1, Resources: [{ userName: 'b' }] },
      },
      {
        ...{ send: 'GET /Users?cursor={third}&count=1', gives: 200 },
        shows: { itemsPerPage: 1, Resources: [{ userName: 'c' }], nextCursor: undefined },
      },
      {
        ...{ send: 'GET /Users?cursor={second}&count=2', gives: 200 },
        shows: { itemsPerPage: 2, Resources: [{ userName: 'b' }, { userName: 'c' }], nextCursor: undefined },
      },
      ...['x{second}', 'made-up', '{second}&filter=title+pr', '{second}&sortBy=title'].map((cursor) => ({
        ...{ send: `GET /Users?count=1&cursor=${cursor}`, gives: 400, shows: refused(400, 'invalidCursor') },
      })),
      {
        send: 'GET /Users?count=1&cursor={second}',
        token: 'of another',
        gives: 400,
        shows: refused(400, 'invalidCursor'),
      },
      { send: 'GET /Users?cursor=&count=201', gives: 400, shows: refused(400, 'invalidCount') },
      {
        ...{ send: 'GET /Users?cursor={second}&count=1', after_s: 3_601, gives: 400 },
        shows: refused(400, 'expiredCursor'),
      },
    ],
  },
]
