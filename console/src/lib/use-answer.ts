import { type InfiniteData, keepPreviousData, type QueryKey, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useEffect, useId, useMemo, useRef } from 'react'
import type { Page } from '#sdk/index.ts'
import { type ApiError, apiErrorOf } from './api.ts'
import { queries } from './queries.ts'
import { giveName, nameOf } from './service.ts'
import { useOnline } from './use-online.ts'

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
 * An operation of the client is known by its name; a function of a page is always the same in its place.
 */
export function useAnswer<Input, Value>(
  operation: (input: Input) => Promise<Value>,
  input: Input | null,
  every_ms?: number,
): Answered<Value> {
  const own = useId()
  const isOnline = useOnline()
  const queryKey: QueryKey = [nameOf(operation) ?? own, input]
  const options = {
    queryKey,
    // The cast holds because nothing is asked without an input.
    queryFn: async () => (await operation(input as Input)) ?? null,
    enabled: input !== null,
    placeholderData: keepPreviousData,
    // A form begins with what is there now, never with what was there before.
    gcTime: 0,
    // Back with a connection, all that is shown is asked anyway.
    refetchInterval: isOnline && every_ms !== undefined ? every_ms : (false as const),
  }
  const { data, error, isFetching, refetch } = useQuery(options, queries)
  return {
    value: data ?? null,
    error: useApiError(error),
    isLoading: isFetching,
    reload: () => void (input !== null && refetch()),
    set: (value) => queries.setQueryData(queryKey, value),
  }
}

const useApiError = (error: Error | null) => useMemo(() => (error ? apiErrorOf(error) : null), [error])

type ListOperation<Input, Row> = (input: Input) => { page(): Promise<Page<Row>> }

/** One page of a list, as an answer. */
export function firstPage<Input, Row>(operation: ListOperation<Input, Row>): (input: Input) => Promise<Page<Row>> {
  const page = (input: Input) => operation(input).page()
  giveName(page, nameOf(operation))
  return page
}

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

const idOfRow = (row: unknown) => (row as { id: string }).id

/** A list by pages; filters are its input. It stays for a while when it is left, so that going back shows it at once. */
export function useList<Input, Row>(
  operation: ListOperation<Input, Row>,
  input: Input,
  idOf: (row: Row) => string = idOfRow,
): Listed<Row> {
  const own = useId()
  const queryKey: QueryKey = [nameOf(operation) ?? own, 'pages', input]
  const asked = useInfiniteQuery(
    {
      queryKey,
      queryFn: ({ pageParam }) =>
        operation({ limit: rows_per_page, ...input, ...(pageParam !== null && { cursor: pageParam }) }).page(),
      initialPageParam: null as string | null,
      getNextPageParam: ({ has_more, cursor }) => (has_more ? cursor : undefined),
      placeholderData: keepPreviousData,
    },
    queries,
  )
  const { data, isFetching, isFetchingNextPage, isPlaceholderData } = asked
  const known = useMemo(() => data && rowsOf(data.pages, idOf), [data, idOf])
  // That a former view was empty says nothing about the next one.
  const rows = isPlaceholderData && known?.length === 0 ? undefined : known
  const late = useRef<Placing<Row>[]>([])
  const change = (placing: Placing<Row>) =>
    queries.setQueryData<Pages<Row>>(queryKey, (before) => before && placed(before, placing))
  const place = (placing: Placing<Row>) => {
    change(placing)
    // An answer that is still under way may have been given before this row was.
    if (isFetching) late.current.push(placing)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the answer has come
  useEffect(() => {
    if (isFetching) return
    for (const placing of late.current) change(placing)
    late.current = []
  }, [isFetching])
  return {
    error: useApiError(asked.error),
    isLoading: isFetching && !isFetchingNextPage,
    reload: () => void asked.refetch(),
    rows: rows ?? null,
    total: Math.max(data?.pages[0]?.total_count ?? 0, rows?.length ?? 0),
    has_more: asked.hasNextPage,
    cursor: data?.pages.at(-1)?.cursor ?? null,
    more: async () => void (await asked.fetchNextPage()),
    put: (row) => place({ row, idOf, at: 'top' }),
    add: (row) => place({ row, idOf, at: 'end' }),
  }
}

type Pages<Row> = InfiniteData<Page<Row>, string | null>

interface Placing<Row> {
  row: Row
  idOf(row: Row): string
  /** For a row that is not there yet. */
  at: 'top' | 'end'
}

/** Each row once: rows that are added while one pages move others to the next page. */
function rowsOf<Row>(pages: readonly Page<Row>[], idOf: (row: Row) => string): Row[] {
  return [...new Map(pages.flatMap(({ data }) => data).map((row) => [idOf(row), row])).values()]
}

function placed<Row>(before: Pages<Row>, { row, idOf, at }: Placing<Row>): Pages<Row> {
  const place = before.pages.map(({ data }) => data.findIndex((one) => idOf(one) === idOf(row)))
  const isThere = place.some((index) => index >= 0)
  const grows = at === 'top' ? 0 : before.pages.length - 1
  const pages = before.pages.map((page, number) => {
    const index = place[number] ?? -1
    if (isThere) return index >= 0 ? { ...page, data: page.data.with(index, row) } : page
    const total_count = page.total_count + 1
    if (number !== grows) return { ...page, total_count }
    return { ...page, total_count, data: at === 'top' ? [row, ...page.data] : [...page.data, row] }
  })
  return { ...before, pages }
}
