import {
  type AnyRouter,
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorRouteComponent,
  type NotFoundRouteComponent,
  type RouteComponent,
  useParams,
  useRouterState,
} from '@tanstack/react-router'
import {
  type AnchorHTMLAttributes,
  type ComponentType,
  type MouseEvent,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'

export { Outlet, RouterProvider as Pages } from '@tanstack/react-router'

const base = '/console'

interface Place {
  /** Below `/console`; `$id` stands for one segment. */
  path: string
  Page: ComponentType
  /** Loads the code of the page ahead. */
  preload(): Promise<void>
}

interface Surroundings {
  frame: RouteComponent
  /** While the code of a page comes. */
  pending: RouteComponent
  /** A page that broke. */
  broken: ErrorRouteComponent
  nowhere: NotFoundRouteComponent
}

let started: AnyRouter | undefined

function router(): AnyRouter {
  if (!started) throw new Error('no pages yet')
  return started
}

const pending_after_ms = 150

/** Says once which pages there are. Queries stay texts: an address means the same to a person and to the page. */
export function startRouter(places: readonly Place[], { frame, pending, broken, nowhere }: Surroundings): AnyRouter {
  const root = createRootRoute({ component: frame, notFoundComponent: nowhere })
  const routes = places.map(({ path, Page, preload }) =>
    createRoute({ getParentRoute: () => root, path, component: Object.assign(() => <Page />, { preload }) }),
  )
  started = createRouter({
    routeTree: root.addChildren(routes),
    basepath: base,
    parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
    stringifySearch: (search) => textOf(new URLSearchParams(search)),
    scrollRestoration: true,
    defaultPendingMs: pending_after_ms,
    defaultPendingMinMs: 0,
    defaultPendingComponent: pending,
    defaultErrorComponent: broken,
  })
  return started
}

const textOf = (search: URLSearchParams) => (search.size > 0 ? `?${search}` : '')

/**
 * The path below `/console` of the page that is shown, without a slash at its end; `/` is the first page. The address may be
 * ahead of it, while the code of the next page comes.
 */
export function usePath(): string {
  return useRouterState({ select: ({ matches, location }) => trimmed(matches.at(1)?.pathname ?? location.pathname) })
}

const trimmed = (path: string) => path.replace(/\/$/, '') || '/'

/** The segment of the path that `$id` stands for. */
export const usePathId = () => useParams({ strict: false, select: ({ id }: { id?: string }) => id ?? '' })

/** Filters, tab and open drawer: all that makes a view lives in the address, so that it can be sent to a colleague. */
export function useSearch(): [URLSearchParams, (changes: Record<string, string | null>) => void] {
  const { history } = router()
  const [path] = useState(() => history.location.pathname)
  const last = useRef('')
  // At once, as a field expects whose value stands in the address; a page that is being left keeps its own.
  const search = useSyncExternalStore(history.subscribe, () => {
    if (history.location.pathname === path) last.current = history.location.search
    return last.current
  })
  return [new URLSearchParams(search), changeSearch]
}

function changeSearch(changes: Record<string, string | null>): void {
  const search = new URLSearchParams(router().history.location.search)
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') search.delete(name)
    else search.set(name, value)
  }
  const { pathname } = router().history.location
  void router().navigate({ href: pathname + textOf(search), replace: true, resetScroll: false })
}

/**
 * While something is typed that would be lost, going to another page asks; null where nobody is about to leave. The browser
 * asks in its own words before the window closes.
 */
export function useLeaving(isTyped: boolean): { leave(): void; stay(): void } | null {
  const [asked, setAsked] = useState<{ answer(isBlocked: boolean): void } | null>(null)
  useEffect(() => {
    if (!isTyped) return
    return router().history.block({
      enableBeforeUnload: true,
      blockerFn: ({
        currentLocation,
        nextLocation,
      }: Record<'currentLocation' | 'nextLocation', { pathname: string }>) =>
        currentLocation.pathname !== nextLocation.pathname &&
        new Promise<boolean>((resolve) => setAsked({ answer: resolve })),
    })
  }, [isTyped])
  if (!asked) return null
  const end = (isBlocked: boolean) => {
    asked.answer(isBlocked)
    setAsked(null)
  }
  return { leave: () => end(false), stay: () => end(true) }
}

/** Goes to a path of this application, given below `/console`. */
export function goTo(to: string): void {
  void router().navigate({ href: hrefOf(to) })
}

export const hrefOf = (to: string) => (to === '/' ? base : base + to)

type LinkProps = AnchorHTMLAttributes<HTMLAnchorElement> & { to: string }

/**
 * A link that changes the page within; with a modifier key it is a link like any other. Unlike the router's own it does not
 * look at every change of the address: a list may have thousands.
 */
export function Link({ to, onClick, ...rest }: LinkProps) {
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event)
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    goTo(to)
  }
  return <a {...rest} href={hrefOf(to)} onClick={follow} />
}
