import { QueryClient } from '@tanstack/react-query'

/**
 * Answers as they are shown. Nothing is asked twice by itself: a person sees what went wrong, and decides. Kept in memory
 * only, and emptied when the person or the organization changes.
 */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      retry: false,
      // Without a connection a page says so, and asks once there is one again.
      networkMode: 'always',
      refetchOnReconnect: true,
      refetchOnWindowFocus: false,
    },
  },
})

const pages_asked_again_max = 10
let is_due = false

/**
 * After a write all that is shown is asked again: a change of one noun shows in others, such as an approved item in the
 * invoice that takes it. Several writes at once ask once.
 */
export function askAgain(): void {
  if (is_due) return
  is_due = true
  setTimeout(() => {
    is_due = false
    // Nothing is kept that is not shown, so that nobody goes back to it as it was.
    queries.removeQueries({ type: 'inactive' })
    void queries.invalidateQueries({
      predicate: ({ state: { data } }) => !isPaged(data) || data.pages.length <= pages_asked_again_max,
    })
  })
}

/** A long list is asked page by page; its rows are put in their places by the page that changed them. */
const isPaged = (data: unknown): data is { pages: unknown[] } =>
  typeof data === 'object' && data !== null && 'pages' in data && Array.isArray(data.pages)
