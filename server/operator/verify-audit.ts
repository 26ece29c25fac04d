import type { Database } from '#db/database.ts'
import { type ChainReport, checkStored, createChainCheck, type KeptSeal } from '#resources/audit/index.ts'
import { listOrganizations } from '#resources/organizations/index.ts'
import { organizationNamed } from './administration.ts'

export interface AuditReport extends ChainReport {
  organization_id: string
  /** Null where only a seal knows of the organization. */
  name: string | null
  /** Entries that are in no batch yet, and the time of the oldest. */
  unsealed: { count: number; oldest_at: string | null }
}

interface Wish {
  /** By name or id; all where none is named. */
  organization?: string | undefined
  seals: readonly KeptSeal[]
}

/** One moment for the whole chain: sealing and removal go on meanwhile. */
const of_one_moment = { transaction_isolation: "'repeatable read'" }

/** Checks the audit log of one organization or of all against itself and the seals that were kept. */
export async function verifyAudit(database: Pick<Database, 'transaction'>, wish: Wish): Promise<AuditReport[]> {
  const chosen = await chosenBy(database, wish)
  const [only, another] = chosen
  const reports: AuditReport[] = []
  for (const { id, name } of chosen) {
    const isOfIt = (seal: KeptSeal) => (seal.organization_id ?? only?.id) === id
    const seals = wish.seals.filter(isOfIt)
    if (another && seals.some(({ organization_id }) => organization_id === undefined))
      throw new Error('a hash alone does not say of which organization it is: name that by --organization')
    const options = { role: 'engine', read_only: true, settings: of_one_moment } as const
    const check = createChainCheck({ seals, is_part: false })
    const unsealed = await database.transaction(options, (tx) => checkStored(tx, id, check))
    reports.push({ organization_id: id, name, unsealed, ...check.end() })
  }
  return reports
}

/** An organization of which a seal was kept is looked at, there or not. */
async function chosenBy(database: Pick<Database, 'transaction'>, { organization, seals }: Wish) {
  if (organization !== undefined) {
    const found = await organizationNamed(database, organization)
    if (!found) throw new Error(`there is no organization "${organization}"`)
    return [found]
  }
  const known = await database.transaction({ role: 'lookup', read_only: true }, listOrganizations)
  const ids = new Set(known.map(({ id }) => id))
  const sealed = new Set(seals.flatMap(({ organization_id }) => organization_id ?? []))
  return [...known, ...[...sealed.difference(ids)].map((id) => ({ id, name: null }))]
}
