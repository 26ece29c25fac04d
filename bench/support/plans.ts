import type { PoolClient } from 'pg'
import { heavy_lists, valuesOfFilters } from './heavy-lists.ts'
import type { Installation } from './installation.ts'
import { openWatched, type Statement } from './statements.ts'

/** A node of a plan as `explain (analyze, format json)` tells it. */
export interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: PlanNode[]
}

/** A page of 50 and its total, counted up to 10,000, read no more rows of one table than this. */
const rows_max = 12_000

/** Nodes of the plan of a page that sort or read more rows than the page and its total ask for. */
function faultsOfPlan(node: PlanNode): string[] {
  const below = (node.Plans ?? []).flatMap(faultsOfPlan)
  const { 'Node Type': type, 'Relation Name': table = '' } = node
  const read = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
  const sorted = (node.Plans ?? []).reduce((sum, plan) => sum + plan['Actual Rows'] * plan['Actual Loops'], 0)
  const faults = [
    ...(type.includes('Scan') && type !== 'Bitmap Index Scan' && read > rows_max
      ? [`${type} of ${table} reads ${read} rows`]
      : []),
    ...(type.includes('Sort') && sorted > 1_000 ? [`${type} of ${sorted} rows`] : []),
  ]
  return [...faults, ...below]
}

/**
 * The faults of the plans of every heavy list with each of its main filters; `settings` are those of the server, for a
 * planner that is to use what indexes there are also where few rows make it cheaper not to.
 */
export async function faultsOfLists(
  installation: Installation,
  { id, token }: { id: string; token: string },
  settings = '',
): Promise<string[]> {
  const faults: string[] = []
  const filled = await valuesOfFilters(installation, id)
  await using watched = openWatched(installation)
  const client = await installation.database.connect()
  for (const [path, filters] of Object.entries(heavy_lists)) {
    for (const filter of filters) {
      const url = `/rest/v2${path}?${filled(['limit=50', filter].filter((part) => part !== '').join('&'))}`
      const all = await watched.statementsOf(url, token)
      for (const statement of all.filter(isPage)) {
        const plan = await explained(client, statement, `set local app.organization_id = '${id}'; ${settings}`)
        faults.push(...faultsOfPlan(plan).map((fault) => `${path}?${filter}: ${fault}`))
      }
    }
  }
  client.release()
  return faults
}

const isPage = (statement: Statement) => typeof statement === 'object' && statement.text.includes('total_count, page.*')

export async function explained(client: PoolClient, statement: Statement, settings: string): Promise<PlanNode> {
  if (typeof statement === 'string') throw new Error('a page is read by a statement with values')
  await client.query(`begin; set local role stint_app; ${settings}`)
  const { text, values = [] } = statement
  const { rows } = await client.query({ text: `explain (analyze, timing off, format json) ${text}`, values })
  await client.query('rollback')
  return rows[0]['QUERY PLAN'][0].Plan
}
