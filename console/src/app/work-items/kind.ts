import type { ComponentType, ReactNode } from 'react'
import type {
  InvoiceAdjustment,
  InvoiceAdjustmentsListInput,
  Page,
  Timesheet,
  TimesheetsListInput,
} from '#sdk/index.ts'
import type { Column } from '../../components/table.tsx'

/** Work to be paid: reported, reviewed, and collected by the next invoice. */
export type WorkItem = Timesheet | InvoiceAdjustment

/** The filters that lists of both kinds take. */
export type WorkFilter = Pick<
  TimesheetsListInput & InvoiceAdjustmentsListInput,
  'statuses' | 'worker_id' | 'contract_id' | 'date_from' | 'date_to' | 'limit' | 'cursor'
>

export interface Verdict {
  ids: readonly string[]
  status: 'approved' | 'declined'
  reason: string | null
}

interface FormProps<Row> {
  /** Absent: a new one. */
  item?: Row
  onSaved(item: Row): void
  onClose(): void
}

/** One kind of work: its words, its operations, and what differs in how it is shown. */
export interface WorkKind<Row extends WorkItem> {
  title: string
  lead: string
  /** `timesheet`, and the path of its pages and operations. */
  one: string
  path: '/timesheets' | '/adjustments'
  api_path: string
  write: string
  list(input: WorkFilter): { page(): Promise<Page<Row>> }
  get(id: string): Promise<Row>
  reviewMany(verdict: Verdict): Promise<Page<Row>>
  remove(id: string, reason: string | undefined): Promise<unknown>
  /** Names in the address of filters of its own, what they ask for, and their fields. */
  filters: { names: readonly string[]; input(one: (name: string) => string | undefined): object; fields: ReactNode }
  columns(seesAmounts: boolean): readonly Column<Row>[]
  /** A row in a few words, for whoever does not see it. */
  wordsOf(item: Row): string
  facts(item: Row, seesAmounts: boolean): ReactNode
  Form: ComponentType<FormProps<Row>>
  /** Says what it is and where it comes from, while there is none. */
  empty: string
}
