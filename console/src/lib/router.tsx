import { type AnchorHTMLAttributes, type MouseEvent, useSyncExternalStore } from 'react'

const moved = 'stint:moved'

function subscribe(tell: () => void): () => void {
  addEventListener('popstate', tell)
  addEventListener(moved, tell)
  return () => {
    removeEventListener('popstate', tell)
    removeEventListener(moved, tell)
  }
}

/** The path below `/console`, without a slash at its end; `/` is the first page. */
export function usePath(): string {
  const path = useSyncExternalStore(subscribe, () => location.pathname)
  return path.replace(/^\/console/, '').replace(/\/$/, '') || '/'
}

/** Filters, tab and open drawer: all that makes a view lives in the address, so that it can be sent to a colleague. */
export function useSearch(): [URLSearchParams, (changes: Record<string, string | null>) => void] {
  const search = useSyncExternalStore(subscribe, () => location.search)
  return [new URLSearchParams(search), changeSearch]
}

function changeSearch(changes: Record<string, string | null>): void {
  const search = new URLSearchParams(location.search)
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') search.delete(name)
    else search.set(name, value)
  }
  history.replaceState(null, '', `${location.pathname}${search.size > 0 ? `?${search}` : ''}`)
  dispatchEvent(new Event(moved))
}

/** Goes to a path of this application, given below `/console`. */
export function goTo(to: string): void {
  history.pushState(null, '', hrefOf(to))
  scrollTo(0, 0)
  dispatchEvent(new Event(moved))
}

export const hrefOf = (to: string) => (to === '/' ? '/console' : `/console${to}`)

type LinkProps = AnchorHTMLAttributes<HTMLAnchorElement> & { to: string }

/** A link that changes the page within; with a modifier key it is a link like any other. */
export function Link({ to, onClick, ...rest }: LinkProps) {
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event)
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    goTo(to)
  }
  return <a {...rest} href={hrefOf(to)} onClick={follow} />
}
