import type { Role } from '#core/caller.ts'
import { anyOf } from '#core/filters.ts'
import { defineProblem, insufficientScope, type Problem } from '#core/problems.ts'
import { defineResource, type RowFrom } from '#core/resource.ts'
import { server } from '#core/schema/fields.ts'
import { Email, Id, Text, Timestamp, Type } from '#core/schema/schema.ts'
import { rightsOf } from '#identity/scopes.ts'
import { emailOfAccount, keepsSecondFactor, nameOfAccount, roleByTeam } from './member.store.ts'

// The cast holds because an object has its keys.
const roles = Object.keys(rightsOf) as Role[]

/** The roles that a team may give, the strongest first; an owner is made by an owner alone. */
export const teamRoles = ['admin', 'finance', 'developer', 'viewer'] as const

export const RoleName = Type.Enum(roles, { description: 'What the person may do here.' })

/** A person with an account, as one organization knows it. */
export const member = defineResource({
  name: 'member',
  title: 'Member',
  table: 'memberships',
  fields: {
    id: { type: Id, ...server, generated: true, example: '019b8d2f-1f40-7c55-9a3e-0b6d1f2c8e47' },
    name: { type: Text(1, 200), read_from: nameOfAccount, example: 'Nora Pine' },
    email: { type: Email, read_from: emailOfAccount, example: 'nora@harbour.example' },
    role: { type: RoleName },
    team_role: {
      type: Type.Enum(teamRoles, {
        description: 'Given by a team as long as the person is in it; counts in place of `role`.',
      }),
      nullable: true,
      read_from: roleByTeam,
    },
    status: {
      type: Type.Enum(['active', 'disabled'], {
        description: 'Disabled: neither session nor personal token nor app of this person has a right here.',
      }),
      initial: 'active',
    },
    has_second_factor: {
      type: Type.Boolean({ description: 'The account has an authenticator app or a passkey.' }),
      read_from: keepsSecondFactor,
    },
    created_at: { type: Timestamp, ...server },
    updated_at: { type: Timestamp, ...server },
  },
  internal: { closed_by: { type: Id, nullable: true } },
  filters: { roles: anyOf('role'), statuses: anyOf('status') },
})

export type MemberRow = RowFrom<typeof member>
type Rights = Pick<MemberRow, 'role' | 'status'>

export const lastOwner = defineProblem({
  code: 'last_owner',
  status: 409,
  title: 'This is the last owner',
  advice: 'Make another member owner first: an organization without one could not be administered any more.',
})

/** Nobody hands out a right that is not among the own ones, so an admin makes no owner, and nobody in finance either. */
export function mayGive(giver: Role, role: Role): boolean {
  const [own, wished] = [rightsOf[giver], rightsOf[role]]
  return (
    wished.scopes.every((scope) => own.scopes.includes(scope)) &&
    wished.sensitive_data.every((category) => own.sensitive_data.includes(category))
  )
}

export function refusalOfGiving(giver: Role, role: Role): Problem | null {
  if (mayGive(giver, role)) return null
  return insufficientScope(`The role ${giver} may not hand out the role ${role}, which has rights beyond its own.`, {
    members: { required_scopes: [] },
  })
}

export function refuseGiving(giver: Role, role: Role): void {
  const refusal = refusalOfGiving(giver, role)
  if (refusal) throw refusal
}

/** True when a change hands out rights; taking some away never asks for a proof of who does it. */
export function gives(before: Rights, after: Rights): boolean {
  return before.role !== after.role || (before.status === 'disabled' && after.status === 'active')
}

/** Refuses what `giver` may not do to a member; after null: it is removed. */
export function refuseChange(giver: Role, before: Rights, after: Rights | null): void {
  if (before.role === 'owner' && giver !== 'owner') {
    throw insufficientScope('Only an owner changes or removes an owner.', { members: { required_scopes: [] } })
  }
  if (after && gives(before, after)) refuseGiving(giver, after.role)
}

/** An owner who can act. */
export const isOwner = (rights: Rights | null): boolean => rights?.role === 'owner' && rights.status === 'active'
