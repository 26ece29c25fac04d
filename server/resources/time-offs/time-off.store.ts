import type { Dependents } from '#core/dependents.ts'
import { type Sql, sql, type Transaction } from '#db/database.ts'
import { firstDayOf, lastDayOf } from './days.ts'
import { type TimeOffRow, timeOff } from './time-off.ts'

/** The part of a person that time off depends on. */
export interface Absentee {
  id: string
  email: string | null
  full_name: string
  start_date: string | null
  /** The person's own time zone, else the organization's. */
  timezone: string
  status: 'pending' | 'active' | 'offboarding' | 'inactive'
  deleted_at: string | null
}

/** A person, `null` for none. Locked, its requests and approvals wait for each other until the transaction ends. */
export async function absenteeOf(
  tx: Transaction,
  organization_id: string,
  person_id: string,
  is_locked: boolean,
): Promise<Absentee | null> {
  const lock = is_locked ? sql`for no key update of p` : sql``
  const found = await tx.row<Absentee>(sql`
    select p.id, p.email, p.full_name, p.start_date, coalesce(p.timezone, o.timezone) as timezone, p.status, p.deleted_at
    from people p join organizations o on o.id = p.organization_id
    where p.organization_id = ${organization_id} and p.id = ${person_id} ${lock}`)
  return found ?? null
}

/**
 * A time off of the same person on one of the days, but for the halves of a day that both leave to the other. The person
 * is locked, so that of two requests at once the later one sees the earlier one.
 */
export function overlapping(tx: Transaction, row: TimeOffRow): Promise<TimeOffRow | undefined> {
  const { organization_id, person_id, id, start_date, end_date, start_half_day, end_half_day } = row
  return tx.row<TimeOffRow>(sql`
    select ${timeOff.columns} from ${timeOff.tables}
    where time_offs.organization_id = ${organization_id} and time_offs.person_id = ${person_id}
      and time_offs.id <> ${id} and time_offs.status in ('requested', 'approved', 'used')
      and time_offs.start_date <= ${end_date} and time_offs.end_date >= ${start_date}
      and not (time_offs.start_date = ${end_date} and time_offs.start_half_day and ${end_half_day})
      and not (time_offs.end_date = ${start_date} and time_offs.end_half_day and ${start_half_day})
    order by time_offs.start_date limit 1`)
}

/** Requested and approved time off that begins after a day. */
export function openAfter(
  tx: Transaction,
  organization_id: string,
  person_id: string,
  day: string,
): Promise<TimeOffRow[]> {
  return tx.rows<TimeOffRow>(sql`
    select ${timeOff.columns} from ${timeOff.tables}
    where time_offs.organization_id = ${organization_id} and time_offs.person_id = ${person_id}
      and time_offs.status in ('requested', 'approved') and time_offs.start_date > ${day}
    order by time_offs.id for no key update of time_offs`)
}

/** Time off that is still to come or under way: its policy stays. */
export const open_time_offs: Dependents = { table: 'time_offs', standing: sql`status in ('requested', 'approved')` }

/** The days of one policy that a person takes in a year, by status. */
export interface Taken {
  used: string
  approved: string
  requested: string
}

/** Sums exact decimals; a time off counts in each year with the days that lie in it. */
function takenIn(organization_id: string, person_id: string, policy_id: Sql, year: number, but?: string): Sql {
  const others = but === undefined ? sql`` : sql`and t.id <> ${but}`
  return sql`
    select coalesce(sum(d.days) filter (where d.status = 'used'), 0) as used,
           coalesce(sum(d.days) filter (where d.status = 'approved'), 0) as approved,
           coalesce(sum(d.days) filter (where d.status = 'requested'), 0) as requested
    from (
      select t.status, case when t.start_date >= ${firstDayOf(year)} then t.days - t.days_next_year
                            else t.days_next_year end as days
      from time_offs t
      where t.organization_id = ${organization_id} and t.person_id = ${person_id} and t.policy_id = ${policy_id}
        and t.start_date <= ${lastDayOf(year)} and t.end_date >= ${firstDayOf(year)} ${others}) d`
}

/** The days that other time off under the same policy takes in a year. */
export async function takenBeside(tx: Transaction, row: TimeOffRow, year: number): Promise<Taken> {
  const { organization_id, person_id, policy_id, id } = row
  const taken = await tx.row<Taken>(takenIn(organization_id, person_id, sql`${policy_id}`, year, id))
  if (!taken) throw new Error('a sum has one row')
  return taken
}

/** The list of a person's entitlements of a year: one for each policy that there is. */
export function entitlementsOf(organization_id: string, person_id: string, year: number) {
  return {
    columns: sql`p.id, p.name, p.annual_allowance_days, taken.used, taken.approved, taken.requested`,
    from: sql`time_off_policies p
      cross join lateral (${takenIn(organization_id, person_id, sql`p.id`, year)}) taken`,
    counted: sql`time_off_policies p`,
    where: [sql`p.organization_id = ${organization_id}`, sql`p.deleted_at is null`],
    order: ['p.id'],
    direction: 'asc',
    updated_at: null,
  } as const
}
