import { lazy, Suspense, useEffect, useState } from 'react'
import mark from '../assets/mark.svg'
import { Banner } from '../components/banner.tsx'
import { Link, Outlet, usePath } from '../lib/router.tsx'
import { AccountMenu } from './account-menu.tsx'
import { useMe } from './me.tsx'
import { OrganizationSwitcher } from './organization-switcher.tsx'
import { pages } from './pages.ts'

/** The frame around every page: where one can go, for which organization, as whom. */
export function Shell() {
  const path = usePath()
  const [openedAt, setOpenedAt] = useState<string | null>(null)
  const isOpen = openedAt === path
  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to content
      </a>
      <header className="bar">
        <Link className="product" to="/">
          <img src={mark} alt="" width="28" height="28" />
          <span>Stint</span>
        </Link>
        <OrganizationSwitcher />
        <Clock />
        <AccountMenu />
        <button
          type="button"
          className="button secondary small menu-button"
          aria-expanded={isOpen}
          aria-controls="navigation"
          onClick={() => setOpenedAt(isOpen ? null : path)}
        >
          Menu
        </button>
      </header>
      <Navigation path={path} isOpen={isOpen} />
      <main id="main" tabIndex={-1} key={path}>
        <Offline />
        <Outlet />
      </main>
    </div>
  )
}

const TestClock = lazy(async () => ({ default: (await import('./test-clock/test-clock.tsx')).TestClock }))

/** A live organization has no test clock, and loads none. */
function Clock() {
  if (!useMe().membership.is_sandbox) return null
  return (
    <Suspense>
      <TestClock />
    </Suspense>
  )
}

function Navigation({ path, isOpen }: { path: string; isOpen: boolean }) {
  const { role } = useMe().membership
  const shown = pages.filter(({ words, roles }) => words && (roles?.includes(role) ?? true))
  const grouped = [...Map.groupBy(shown, ({ group }) => group ?? '')]
  return (
    <nav id="navigation" className={isOpen ? 'side open' : 'side'} aria-label="Pages">
      {grouped.map(([group, entries]) => (
        <div key={group}>
          {group ? <p className="side-group">{group}</p> : null}
          <ul>
            {entries.map(({ words, path: to }) => (
              <li key={to}>
                <Link to={to} aria-current={isWithin(path, to) ? 'page' : undefined}>
                  {words}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
      <p className="side-foot">
        <a href="/docs">API reference</a>
      </p>
    </nav>
  )
}

const isWithin = (path: string, to: string) => path === to || (to !== '/' && path.startsWith(`${to}/`))

/** Without a connection nothing can be written, which is better said before somebody types. */
function Offline() {
  const [isOnline, setOnline] = useState(navigator.onLine)
  useEffect(() => {
    const look = () => setOnline(navigator.onLine)
    addEventListener('online', look)
    addEventListener('offline', look)
    return () => {
      removeEventListener('online', look)
      removeEventListener('offline', look)
    }
  }, [])
  return isOnline ? null : <Banner tone="warning" title="You are offline. Nothing can be changed until you are back." />
}
