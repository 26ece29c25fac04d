import { Component, type ReactNode, Suspense, useEffect, useState } from 'react'
import mark from '../assets/mark.svg'
import { Banner } from '../components/banner.tsx'
import { Button } from '../components/button.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { Link, usePath } from '../lib/router.tsx'
import { AccountMenu } from './account-menu.tsx'
import { PageTitle } from './frame.tsx'
import { useMe } from './me.tsx'
import { OrganizationSwitcher } from './organization-switcher.tsx'
import type { PageEntry } from './page-entry.ts'
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
        <Crash>
          <Suspense fallback={<Skeleton rows={6} />}>
            <CurrentPage path={path} />
          </Suspense>
        </Crash>
      </main>
    </div>
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

function CurrentPage({ path }: { path: string }) {
  const { role } = useMe().membership
  const entry = pages.find((one) => patternOf(one).test(path))
  if (!entry) return <PageTitle title="There is nothing at this address" />
  const { Page, roles } = entry
  if (roles && !roles.includes(role)) {
    return (
      <>
        <PageTitle title="Not with your role" />
        <p>
          You are <strong>{role}</strong> here. This page is for {wordsOfRoles(roles)}; an owner or admin can change
          your role.
        </p>
      </>
    )
  }
  return <Page id={patternOf(entry).exec(path)?.[1] ?? ''} />
}

const patternOf = ({ path }: PageEntry) => new RegExp(`^${path.replace(/\$\w+/, '([\\w-]+)')}$`)

const wordsOfRoles = (roles: readonly string[]) => `${roles.slice(0, -1).join(', ')} and ${roles.at(-1)}`

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

/** A page that breaks, or whose code could not be loaded after an update of the service, says so; the others go on. */
class Crash extends Component<{ children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false }
  static getDerivedStateFromError() {
    return { hasFailed: true }
  }
  override render() {
    if (!this.state.hasFailed) return this.props.children
    return (
      <>
        <PageTitle title="This page could not be shown" />
        <p>It may have changed on the service meanwhile.</p>
        <Button onClick={() => location.reload()}>Load it again</Button>
      </>
    )
  }
}
