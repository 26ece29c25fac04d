import { useCallback, useEffect, useRef, useState } from 'react'
import type { Page } from '#sdk/index.ts'
import { type ApiError, apiErrorOf } from './api.ts'

export interface Answered<Value> {
  value: Value | null
  error: ApiError | null
  /** True while something is being asked; what was answered before stays. */
  isLoading: boolean
  reload(): void
  set(value: Value): void
}

/**
 * The answer of a reading operation. Null as input asks nothing; with `every_ms` it asks again while the page is looked at.
 * The operation of one place in the code is always the same, so its input alone says what is asked.
 */
export function useAnswer<Input, Value>(
  operation: (input: Input) => Promise<Value>,
  input: Input | null,
  every_ms?: number,
): Answered<Value> {
  const [state, setState] = useState<{
    asked: string
    value: Value | null
    error: ApiError | null
    isLoading: boolean
  }>({
    ...{ asked: '', value: null, error: null, isLoading: input !== null },
  })
  const [round, setRound] = useState(0)
  const asked = input === null ? null : JSON.stringify(input)
  const ask = useRef(() => operation(input as Input))
  // The cast holds because nothing is asked without an input.
  ask.current = () => operation(input as Input)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round asks again
  useEffect(() => {
    if (asked === null) return
    let isCurrent = true
    setState((before) => ({ ...before, isLoading: true }))
    ask.current().then(
      (value) => isCurrent && setState({ asked, value, error: null, isLoading: false }),
      (error: unknown) =>
        isCurrent &&
        setState((before) => ({
          ...{ asked, error: apiErrorOf(error), isLoading: false },
          value: before.asked === asked ? before.value : null,
        })),
    )
    return () => {
      isCurrent = false
    }
  }, [asked, round])
  const reload = useCallback(() => setRound((n) => n + 1), [])
  useEffect(() => {
    if (every_ms === undefined || asked === null) return
    const timer = setInterval(() => document.visibilityState === 'visible' && reload(), every_ms)
    return () => clearInterval(timer)
  }, [every_ms, asked, reload])
  const set = useCallback((value: Value) => setState((before) => ({ ...before, value })), [])
  return { ...state, reload, set }
}

/** One page of a list, as an answer. */
export const firstPage =
  <Input, Row>(operation: ListOperation<Input, Row>) =>
  (input: Input): Promise<Page<Row>> =>
    operation(input).page()

type ListOperation<Input, Row> = (input: Input) => { page(): Promise<Page<Row>> }

export interface Listed<Row> extends Omit<Answered<Page<Row>>, 'set' | 'value'> {
  /** Null until the first page has come. */
  rows: readonly Row[] | null
  total: number
  has_more: boolean
  cursor: string | null
  more(): Promise<void>
  /** Puts a row where the one of the same id is, else on top. */
  put(row: Row): void
  /** The same at the end, for lists that grow there. */
  add(row: Row): void
}

const rows_per_page = 50

/** A list by pages; filters are its input. */
export function useList<Input, Row>(
  operation: ListOperation<Input, Row>,
  input: Input,
  idOf: (row: Row) => string = (row) => (row as { id: string }).id,
): Listed<Row> {
  const { value, set, error, ...rest } = useAnswer(firstPage(operation), { limit: rows_per_page, ...input })
  const [failed, setFailed] = useState<ApiError | null>(null)
  const latest = useRef(value)
  latest.current = value
  const change = (next: Page<Row>) => {
    latest.current = next
    set(next)
  }
  const more = async () => {
    const before = latest.current
    if (!before?.has_more) return
    setFailed(null)
    try {
      const next = await operation({ limit: rows_per_page, ...input, cursor: before.cursor }).page()
      const known = new Set(before.data.map(idOf))
      const data = [...(latest.current ?? before).data, ...next.data.filter((row) => !known.has(idOf(row)))]
      change({ ...next, data, total_count: Math.max(before.total_count, data.length) })
    } catch (thrown) {
      setFailed(apiErrorOf(thrown))
    }
  }
  const place = (row: Row, into: (rows: Row[]) => Row[]) => {
    const before = latest.current
    if (!before) return
    const at = before.data.findIndex((one) => idOf(one) === idOf(row))
    if (at >= 0) change({ ...before, data: before.data.with(at, row) })
    else change({ ...before, data: into(before.data), total_count: before.total_count + 1 })
  }
  const put = (row: Row) => place(row, (rows) => [row, ...rows])
  const add = (row: Row) => place(row, (rows) => [...rows, row])
  return {
    ...{ ...rest, error: error ?? failed, more, put, add },
    rows: value?.data ?? null,
    total: value?.total_count ?? 0,
    has_more: value?.has_more ?? false,
    cursor: value?.cursor ?? null,
  }
}
