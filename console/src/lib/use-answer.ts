import { useCallback, useEffect, useRef, useState } from 'react'
import { type ApiError, apiErrorOf } from './api.ts'
import { type Query, queryOf, request } from './service.ts'

export interface Answered<Value> {
  value: Value | null
  error: ApiError | null
  /** True while something is being asked; what was answered before stays. */
  isLoading: boolean
  reload(): void
  set(value: Value): void
}

/** The answer of a GET. Null as path asks nothing; with `every_ms` it asks again while the page is looked at. */
export function useAnswer<Value>(path: string | null, query: Query = {}, every_ms?: number): Answered<Value> {
  const [state, setState] = useState<{ url: string; value: Value | null; error: ApiError | null; isLoading: boolean }>({
    ...{ url: '', value: null, error: null, isLoading: path !== null },
  })
  const [round, setRound] = useState(0)
  const url = path === null ? null : path + queryOf(query)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round asks again
  useEffect(() => {
    if (url === null) return
    let isCurrent = true
    setState((before) => ({ ...before, isLoading: true }))
    request<Value>('GET', url).then(
      (value) => isCurrent && setState({ url, value, error: null, isLoading: false }),
      (error: unknown) =>
        isCurrent &&
        setState((before) => ({
          ...{ url, error: apiErrorOf(error), isLoading: false },
          value: before.url === url ? before.value : null,
        })),
    )
    return () => {
      isCurrent = false
    }
  }, [url, round])
  const reload = useCallback(() => setRound((n) => n + 1), [])
  useEffect(() => {
    if (every_ms === undefined || url === null) return
    const timer = setInterval(() => document.visibilityState === 'visible' && reload(), every_ms)
    return () => clearInterval(timer)
  }, [every_ms, url, reload])
  const set = useCallback((value: Value) => setState((before) => ({ ...before, value })), [])
  return { ...state, reload, set }
}

export interface PageOf<Row> {
  data: Row[]
  cursor: string | null
  has_more: boolean
  total_count: number
}

export interface Listed<Row> extends Omit<Answered<PageOf<Row>>, 'set' | 'value'> {
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

/** A list by pages; filters are the query. */
export function useList<Row>(
  path: string | null,
  query: Query = {},
  idOf: (row: Row) => string = (row) => (row as { id: string }).id,
): Listed<Row> {
  const { value, set, error, ...rest } = useAnswer<PageOf<Row>>(path, { limit: rows_per_page, ...query })
  const [failed, setFailed] = useState<ApiError | null>(null)
  const latest = useRef(value)
  latest.current = value
  const change = (next: PageOf<Row>) => {
    latest.current = next
    set(next)
  }
  const more = async () => {
    const before = latest.current
    if (!before?.has_more || path === null) return
    setFailed(null)
    try {
      const next = await request<PageOf<Row>>('GET', path, {
        query: { limit: rows_per_page, ...query, cursor: before.cursor },
      })
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
