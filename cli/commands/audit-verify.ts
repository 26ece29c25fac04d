import { readFileSync } from 'node:fs'
import { type AuditReport, verifyAudit } from '#operator/verify-audit.ts'
import {
  type AuditBatch,
  type AuditEntry,
  type ChainReport,
  createChainCheck,
  type KeptSeal,
} from '#resources/audit/index.ts'
import { type Command, exitStatus, print, textFlag, UsageError } from '../command.ts'
import { withStorage } from '../operator.ts'

const files_max = 1_000

export const auditVerify: Command = {
  usage: '[file …] [--against <file or hash>] [--organization <name>]',
  options: {
    'against <file or hash>':
      'Seals that were kept elsewhere, as `stint audit get-seal --json` prints them, one or many; or the hash of one.',
    'organization <name>': 'Name or id of the organization whose log is checked in the database. Default: all.',
  },
  words_max: files_max,
  about: `Without a file it reads the database of the service: every entry is hashed anew and compared with its batch, and every batch with
the one before it. What was changed, removed, added or moved is named.

With files it reads an export of one organization and nothing else, neither database nor settings: what
\`stint audit list-batches --all --json\` and \`stint audit list --all --json\` print, in this order, since entries go on being sealed.
Batches and entries of a period (--batch-from, --batch-to) are checked by themselves.

Whoever can write to the database as its superuser can make a whole new chain. Only a seal that was kept elsewhere shows
that: --against.`,
  examples: [
    'audit verify',
    'audit verify --organization "Pine & Co" --against seals.jsonl --json',
    'audit verify batches.json entries.json --against 1f0ee0a1c1b2c2f4e3b8f2a4f6f4a9c35e4a3b0c3f2f8d5b6d0f5a9f0c3e7b21',
  ],
  exits: { [exitStatus.failed]: 'something is not as it was sealed, or the check could not be made' },
  async run(flags, files) {
    const organization = textFlag(flags, 'organization')
    const seals = sealsIn(textFlag(flags, 'against'))
    if (files.length > 0 && organization !== undefined)
      throw new UsageError('--organization is for the database; files hold the log of one organization')
    const against = flags.against !== undefined
    if (files.length > 0) {
      const report = verifyExport(files, seals)
      print(flags, report, linesOf(report, files.join(', ')))
      return statusOf([report], against)
    }
    const reports = await withStorage(({ database }) => verifyAudit(database, { organization, seals }))
    print(
      flags,
      reports,
      reports.flatMap((report) => linesOf(report, report.name ?? report.organization_id)),
    )
    return statusOf(reports, against)
  },
}

function statusOf(reports: readonly ChainReport[], against: boolean): number {
  // A chain that was made anew is whole; what was asked for is the comparison.
  const is_compared = !against || reports.some(({ seals_compared }) => seals_compared > 0)
  if (!is_compared) console.error('No kept seal was compared: --against has none of a batch that was checked.')
  return is_compared && reports.every(({ is_whole }) => is_whole) ? exitStatus.ok : exitStatus.failed
}

interface ExportReport extends ChainReport {
  organization_id: string
  unsealed: { count: number }
  /** Entries of batches before and after those of the export. */
  outside: number
}

/** Checks what an organization exported, by itself and against the seals that were kept. */
function verifyExport(files: readonly string[], seals: readonly KeptSeal[]): ExportReport {
  const { batches, entries } = exportedIn(files)
  const organizations = new Set(batches.map(({ organization_id }) => organization_id))
  const [organization_id] = organizations
  const [first, last] = [batches[0], batches.at(-1)]
  if (!first || !last || organization_id === undefined)
    throw new UsageError('the files hold no batch: export them by `stint audit list-batches --all --json`')
  if (organizations.size > 1)
    throw new UsageError('the files hold the logs of several organizations: check each by itself')
  const isOfIt = (seal: KeptSeal) => (seal.organization_id ?? organization_id) === organization_id
  const check = createChainCheck({ seals: seals.filter(isOfIt), is_part: true })
  const by_batch = Map.groupBy(entries, ({ batch }) => batch)
  for (const batch of batches) check.add(batch, by_batch.get(batch.batch) ?? [])
  const isOutside = ({ batch }: AuditEntry) => batch !== null && (batch < first.batch || batch > last.batch)
  const unsealed = { count: by_batch.get(null)?.length ?? 0 }
  return { organization_id, unsealed, outside: entries.filter(isOutside).length, ...check.end() }
}

function exportedIn(files: readonly string[]) {
  const batches: AuditBatch[] = []
  const entries: AuditEntry[] = []
  for (const file of files) {
    for (const row of rowsIn(file)) {
      if (isBatch(row)) batches.push(row)
      else if (isEntry(row)) entries.push(row)
      else throw new UsageError(`${file} holds something that is neither an entry nor a batch of the audit log`)
    }
  }
  return { batches: batches.sort((a, b) => a.batch - b.batch), entries }
}

/** As far as it is looked at; whatever else is not as it was answered has another hash. */
function isBatch(row: object): row is AuditBatch {
  const { batch, entries } = row as Partial<AuditBatch>
  return typeof batch === 'number' && Array.isArray(entries) && entries.every((entry) => typeof entry?.id === 'string')
}

function isEntry(row: object): row is AuditEntry {
  const { id, batch, action } = row as Partial<AuditEntry>
  return typeof id === 'string' && typeof action === 'string' && (batch === null || typeof batch === 'number')
}

function sealsIn(against: string | undefined): KeptSeal[] {
  if (against === undefined) return []
  if (/^[0-9a-f]{64}$/i.test(against)) return [{ hash: against.toLowerCase() }]
  return rowsIn(against).flatMap((row) => {
    const { batch, hash, sealed_at, organization_id } = row as Partial<Record<string, unknown>>
    if (batch === 0) return []
    if (typeof batch !== 'number' || typeof hash !== 'string')
      throw new UsageError(
        `${against} holds something that is no seal: keep what \`stint audit get-seal --json\` prints`,
      )
    return {
      ...{ batch, hash },
      ...(typeof sealed_at === 'string' && { sealed_at }),
      ...(typeof organization_id === 'string' && { organization_id }),
    }
  })
}

/** The objects of a file: one, a list, the answer of a list, or any of these line by line. */
function rowsIn(file: string): object[] {
  const text = readText(file)
  const values =
    parsed(text) ?? text.split('\n').flatMap((line) => (line.trim() === '' ? [] : (parsed(line) ?? [null])))
  return values.flatMap((value) => {
    const rows = Object(value).data ?? value
    if ([rows].flat().some((row) => typeof row !== 'object' || row === null))
      throw new UsageError(`${file} holds no JSON that an operation of the audit log answered`)
    return rows
  })
}

function parsed(text: string): unknown[] | undefined {
  try {
    return [JSON.parse(text)]
  } catch {
    return undefined
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new UsageError(`${file} cannot be read: ${cause instanceof Error ? cause.message : cause}`)
  }
}

const shown_findings_max = 50

function linesOf(report: ExportReport | AuditReport, of: string): string[] {
  const { is_whole, first_batch, seal, entries_checked, findings, findings_count } = report
  const range = first_batch === null ? 'no batch' : `batches ${first_batch} to ${seal.batch}`
  const told = `${of}: ${entries_checked} entries in ${range}`
  return [
    is_whole ? `whole   ${told}` : `BROKEN  ${told}: ${findings_count} not as sealed`,
    ...findings.slice(0, shown_findings_max).map(({ words }) => `        ${words}`),
    ...(findings_count > shown_findings_max
      ? [`        … and ${findings_count - shown_findings_max} more; --json names up to 1,000`]
      : []),
    ...(seal.hash === null
      ? []
      : [`        seal ${seal.hash} of ${seal.sealed_at}, ${seal.entries_total} entries in all`]),
    ...notesOf(report).map((note) => `        ${note}`),
  ]
}

function notesOf(report: ExportReport | AuditReport): string[] {
  const { seals_compared, seals_before, begins_after_removal, first_batch, unsealed } = report
  const outside = 'outside' in report ? report.outside : 0
  const is_part = first_batch !== null && first_batch > 1 && !begins_after_removal
  return [
    ...(seals_compared > 0 ? [`kept seals compared: ${seals_compared}`] : []),
    ...(seals_before > 0
      ? [`kept seals of batches before ${first_batch}, which cannot be compared: ${seals_before}`]
      : []),
    ...(begins_after_removal ? [`entries up to batch ${first_batch} were removed at the end of their time`] : []),
    ...(is_part ? [`not looked at: whatever was before batch ${first_batch}`] : []),
    ...(unsealed.count > 0 ? [`entries not sealed yet: ${unsealed.count}`] : []),
    ...(outside > 0 ? [`entries of batches that are not here: ${outside}`] : []),
  ]
}
