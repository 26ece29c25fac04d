import { everybody, type Role } from '../../lib/roles.ts'

type Right = 'write' | 'read' | 'none'

/** The rights of each role in words, by area (console design 5); a test compares them with those that the service goes by. */
export const areas: readonly {
  words: string
  /** A scope by which the service decides, or a category of sensitive data. */
  by: string
  rights: Readonly<Record<Role, Right>>
}[] = [
  area('people, contracts and time off', 'contracts', ['write', 'write', 'read', 'read', 'read']),
  area('timesheets and adjustments', 'timesheets', ['write', 'write', 'read', 'write', 'read']),
  area('invoices, payments and the ledger', 'accounting', ['write', 'read', 'none', 'write', 'none']),
  area('webhooks and events', 'webhooks', ['write', 'write', 'write', 'none', 'read']),
  area('API tokens and apps of the organization', 'tokens', ['write', 'write', 'write', 'none', 'none']),
  area('members and settings', 'organizations', ['write', 'write', 'read', 'read', 'read']),
  area('pay and bank accounts', 'compensation', ['read', 'read', 'none', 'read', 'none']),
  area('birth dates, home addresses and health', 'personal_identifiers', ['read', 'read', 'none', 'none', 'none']),
]

function area(words: string, by: string, rights: readonly [Right, Right, Right, Right, Right]) {
  const [owner, admin, developer, finance, viewer] = rights
  return { words, by, rights: { owner, admin, developer, finance, viewer } }
}

export const roleHints: Readonly<Record<Role, string>> = {
  owner: 'Everything, and who else is an owner.',
  admin: 'People, contracts, integrations and members. Sees what is paid, and pays nothing.',
  developer: 'Webhooks, tokens and apps. Sees no pay and no personal data.',
  finance: 'Timesheets, invoices and payments, with pay and bank accounts.',
  viewer: 'Looks at people, contracts and time. Sees no pay and no personal data.',
}

const order: readonly Right[] = ['none', 'read', 'write']
const verbs: Readonly<Record<Right, string>> = { none: 'No longer sees', read: 'Sees', write: 'Changes' }

/** The effect of a change of the role, a line for each area that differs. */
export function differenceOf(from: Role, to: Role): { gains: string[]; losses: string[] } {
  const differing = areas.filter(({ rights }) => rights[from] !== rights[to])
  const isGain = ({ rights }: (typeof areas)[number]) => order.indexOf(rights[to]) > order.indexOf(rights[from])
  const line = ({ words, rights }: (typeof areas)[number]) =>
    rights[to] === 'read' && rights[from] === 'write' ? `Only sees ${words}` : `${verbs[rights[to]]} ${words}`
  const owns = (role: Role) => role === 'owner'
  return {
    gains: [...differing.filter(isGain).map(line), ...(owns(to) && !owns(from) ? ['Makes and removes owners'] : [])],
    losses: [
      ...differing.filter((one) => !isGain(one)).map(line),
      ...(owns(from) && !owns(to) ? ['No longer makes or removes owners'] : []),
    ],
  }
}

/** A newer service may know more roles than this page; they show the least. */
export const roleOf = (word: string): Role => everybody.find((one) => one === word) ?? 'viewer'

/** Nobody hands out more than the own role has. */
export function rolesToGive(own: Role): readonly Role[] {
  const isWithin = (role: Role) =>
    areas.every(({ rights }) => order.indexOf(rights[role]) <= order.indexOf(rights[own])) &&
    (role !== 'owner' || own === 'owner')
  return everybody.filter(isWithin)
}
