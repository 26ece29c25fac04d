import { type Context, defineOperation } from '#core/operation.ts'
import { referenceNotFound, validationFailed } from '#core/problems.ts'
import { ActorSchema, Closed, Id, Nullable, Observed, Timestamp, Type } from '#core/schema/schema.ts'
import { reauthenticationRequired, refuseOldProof } from '#identity/console-request.ts'
import { lockMembers, refuseGiving, teamRoles } from '#resources/members/index.ts'
import { organization } from '#resources/organizations/index.ts'
import {
  credentialsOf,
  lockTeams,
  peopleFigures,
  requestTimes,
  setTeamRole,
  type TeamRoleRow,
  teamRolesOf,
} from './provisioning.store.ts'

const Count = Type.Integer({ minimum: 0 })
const Role = Type.Enum([...teamRoles])

declare module '#core/operation.ts' {
  interface Rooms {
    provisioning: {
      /** The address that identity providers call, e.g. `https://stint.example/scim/v2`. */
      base_url: string
    }
  }
}

/** Teams that give a role in one organization, and that one call names. */
const mapped_teams_max = 100
const day_ms = 86_400_000
const hour_ms = 3_600_000

const Provisioning = Type.Object({
  base_url: Type.String({
    description: 'The address that an identity provider is given.',
    example: 'https://stint.example/scim/v2',
  }),
  credentials: Type.Array(
    Type.Object({
      kind: Type.Enum(['api_token', 'oauth_client']),
      id: Type.String({
        description: 'Of the token or of the client.',
        example: '019b8d32-6d80-7a10-8c02-61f0d4b7a9e3',
      }),
      name: Type.String({ example: 'Okta' }),
      scopes: Type.Array(Type.String(), { example: ['scim:write'] }),
      created_at: Timestamp,
      created_by: ActorSchema,
      maker_left: Type.Boolean({ description: 'Its maker is no member any more; it works on.' }),
      expires_at: Nullable(Timestamp),
      last_used_at: Observed(Nullable(Timestamp)),
    }),
    {
      description:
        'Tokens and OAuth clients of the organization with a `scim` scope, the newest first; one that expired is shown for 30 days.',
    },
  ),
  last_success_at: Observed(
    Nullable({
      ...Timestamp,
      description: 'The last sync: the latest request that was answered with a success.',
    } as typeof Timestamp),
  ),
  last_failure_at: Observed(
    Nullable({ ...Timestamp, description: 'The latest one that was not.' } as typeof Timestamp),
  ),
  last_day: Observed(
    Type.Object(
      { succeeded: Count, failed: Count },
      { description: 'Requests from a full hour on, at least 24 hours ago.' },
    ),
  ),
  people: Type.Object({
    linked: { ...Count, description: 'People whom provisioning keeps.' } as typeof Count,
    removed: { ...Count, description: 'People whom it removed and who stay here.' } as typeof Count,
  }),
  team_roles: Type.Array(
    Type.Object({
      team: Type.Object({ id: Id, name: Type.String({ example: 'Payroll' }) }),
      role: Role,
      member_count: Count,
      account_count: {
        ...Count,
        description: 'Members with an account that is not blocked: those who have the role.',
      } as typeof Count,
    }),
    { description: 'Teams that give their members a role, by name.' },
  ),
})

export const getProvisioning = defineOperation({
  id: 'provisioning.get',
  summary: 'Get the state of provisioning',
  description:
    'The connection of an identity provider, how it fares, and the teams that give a role. The times reach back 30 days; each request is in `GET /request-logs` with `surfaces` set to `scim`.',
  method: 'GET',
  path: '/provisioning',
  scopes: ['scim:read'],
  roles: ['owner', 'admin'],
  input: Closed({}),
  output: Provisioning,
  lock: (_, { tx, caller: { organization_id } }) => organization.lock(tx, { organization_id, id: organization_id }),
  handle: (_, context) => shown(context),
})

export const updateProvisioning = defineOperation({
  id: 'provisioning.update',
  summary: 'Set which teams give a role',
  description:
    'Members of the team with an account have the role from the next request on, in place of one given by hand, until they leave it; of several teams the strongest counts: admin, finance, developer, viewer. Owners stay owners. Nobody sets a role beyond the own one. Teams that are not named stay as they are.',
  method: 'PATCH',
  path: '/provisioning',
  scopes: ['scim:write'],
  roles: ['owner', 'admin'],
  only_users: true,
  input: Closed({
    team_roles: Type.Array(
      Closed({
        team_id: Id,
        role: Nullable({ ...Role, description: 'Null: the team gives none.' } as typeof Role),
      }),
      { maxItems: mapped_teams_max },
    ),
  }),
  output: Provisioning,
  problems: [referenceNotFound, reauthenticationRequired],

  async handle({ team_roles }, context) {
    const { caller, tx, audit, unchanged } = context
    const giver = await lockMembers(context)
    const ids = team_roles.map(({ team_id }) => team_id)
    const before = new Map((await lockTeams(tx, caller, ids)).map(({ id, role }) => [id, role]))
    refuseUnknown(ids, before)
    const changed = team_roles.filter(({ team_id, role }) => before.get(team_id) !== role)
    if (changed.length === 0) {
      unchanged()
      return shown(context)
    }
    const given = changed.flatMap(({ role }) => (role === null ? [] : [role]))
    for (const role of given) refuseGiving(giver, role)
    // To take a role away asks for no proof of who does it.
    if (given.length > 0) refuseOldProof(caller, tx.real_now)
    for (const each of changed) await setTeamRole(tx, caller, each)
    audit({ kind: 'teams', changed_fields: changed.map(({ team_id }) => `role.${team_id}`) })
    const after = await shown(context)
    if (after.team_roles.length > mapped_teams_max) {
      throw refusedTeams(`lets at most ${mapped_teams_max} teams of an organization give a role`)
    }
    return after
  },
})

const refusedTeams = (message: string) =>
  validationFailed(`team_roles ${message}.`, { errors: [{ pointer: '/team_roles', message }] })

function refuseUnknown(ids: readonly string[], known: ReadonlyMap<string, unknown>): void {
  if (new Set(ids).size < ids.length) throw refusedTeams('names a team twice')
  const errors = ids.flatMap((id, place) =>
    known.has(id) ? [] : [{ pointer: `/team_roles/${place}/team_id`, message: 'does not exist' }],
  )
  if (errors.length > 0) throw referenceNotFound(undefined, { errors })
}

async function shown({ caller, tx, rooms }: Pick<Context, 'caller' | 'tx' | 'rooms'>) {
  const now_ms = Date.parse(tx.real_now)
  const since = new Date(now_ms - day_ms - (now_ms % hour_ms)).toISOString()
  const [credentials, times, people, team_roles] = await Promise.all([
    credentialsOf(tx, caller),
    requestTimes(tx, caller, since),
    peopleFigures(tx, caller),
    teamRolesOf(tx, caller),
  ])
  const { succeeded, failed, ...latest } = times
  return {
    ...{ base_url: rooms.provisioning.base_url, credentials, ...latest, last_day: { succeeded, failed }, people },
    team_roles: team_roles.map(({ team_id: id, name, ...row }: TeamRoleRow) => ({ team: { id, name }, ...row })),
  }
}
