import { sql } from '#db/database.ts'
import type { Installation } from './installation.ts'
import { explained, type PlanNode } from './plans.ts'
import { openWatched } from './statements.ts'

/** A look-up finds one person, a window the fifty that changed last; a plan that reads many more has no index for them. */
const window_rows = 50
const rows_max = 4 * window_rows

/** Rows of people that a plan reads, whether it keeps them or not. */
function readBy(node: PlanNode): number {
  const below = (node.Plans ?? []).reduce((sum, plan) => sum + readBy(plan), 0)
  if (node['Relation Name'] !== 'people') return below
  return below + (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
}

/** The filters by which providers look people up and fetch what changed, with values of people that are there. */
async function filtersOf({ database }: Pick<Installation, 'database'>, organization_id: string) {
  const last = await database.transaction({ role: 'app', organization_id, read_only: true }, (tx) =>
    tx.rows<{ email: string; scim_external_id: string; updated_at: string }>(sql`
      select email, scim_external_id, updated_at from people where organization_id = ${organization_id}
      order by updated_at desc limit ${window_rows}`),
  )
  const [person, first] = [last[10], last.at(-1)]
  if (!person || !first) throw new Error('there are no people to look up')
  const window = `meta.lastModified ge "${first.updated_at}" and meta.lastModified le "${last[0]?.updated_at}"`
  return [
    `userName eq "${person.email.toUpperCase()}"`,
    `externalId eq "${person.scim_external_id}"`,
    window,
    `active eq true and (${window})`,
  ]
}

/** The statements of those lists that read more people than they find, by explain analyze. */
export async function faultsOfFilters(installation: Installation, { id, token }: { id: string; token: string }) {
  const faults: string[] = []
  await using watched = openWatched(installation)
  const client = await installation.database.connect()
  for (const filter of await filtersOf(installation, id)) {
    const all = await watched.statementsOf(`/scim/v2/Users?filter=${encodeURIComponent(filter)}`, token)
    const ofPeople = all.filter(
      (one) => typeof one === 'object' && one.text.includes('people.user_name_lower is not null'),
    )
    if (ofPeople.length !== 2)
      throw new Error(`${ofPeople.length} statements read people: a page and its total would be two`)
    for (const statement of ofPeople) {
      const read = readBy(await explained(client, statement, `set local app.organization_id = '${id}'`))
      if (read > rows_max) faults.push(`${filter} reads ${read} people`)
    }
  }
  client.release()
  return faults
}
