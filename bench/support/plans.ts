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

/** Nodes of the plan of a page that read a table from end to end, or sort or read more rows than a page and its total ask for. */
export function faultsOfPlan(node: PlanNode): string[] {
  const below = (node.Plans ?? []).flatMap(faultsOfPlan)
  const { 'Node Type': type, 'Relation Name': table = '' } = node
  const read = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
  const sorted = (node.Plans ?? []).reduce((sum, plan) => sum + plan['Actual Rows'] * plan['Actual Loops'], 0)
  const is_whole = type === 'Seq Scan' && read > 1_000
  const faults = [
    ...(is_whole ? [`${type} of ${table} reads ${read} rows`] : []),
    ...(!is_whole && type.includes('Scan') && read > rows_max ? [`${type} of ${table} reads ${read} rows`] : []),
    ...(type.includes('Sort') && sorted > 1_000 ? [`${type} of ${sorted} rows`] : []),
  ]
  return [...faults, ...below]
}
