import { lazy, Suspense, useState } from 'react'
import mark from '../assets/mark.svg'
import { Button } from '../components/button.tsx'
import { Icon } from '../components/icon.tsx'
import { Offline } from '../components/offline.tsx'
import { Link, Outlet, usePath } from '../lib/router.tsx'
import { AccountMenu } from './account-menu.tsx'
import { useMe } from './me.tsx'
import { OrganizationSwitcher } from './organization-switcher.tsx'
import { pages } from './pages.ts'
import { useKeys } from './use-keys.ts'

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }))
const KeysHelp = lazy(async () => ({ default: (await import('./keys-help.tsx')).KeysHelp }))

/** The frame around every page: where one can go, for which organization, as whom. */
export function Shell() {
  const path = usePath()
  const [openedAt, setOpenedAt] = useState<string | null>(null)
  const isOpen = openedAt === path
  const [overlay, setOverlay] = useKeys()
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
        <Button
          look="secondary"
          size="small"
          aria-keyshortcuts="Control+K Meta+K"
          onClick={() => setOverlay('palette')}
        >
          <Icon name="search" /> <span className="go-words">Go to…</span> <kbd>Ctrl K</kbd>
        </Button>
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
      {/* Loaded when somebody asks for them. */}
      <Suspense>
        {overlay === 'palette' ? <Palette onClose={() => setOverlay(null)} /> : null}
        {overlay === 'help' ? <KeysHelp onClose={() => setOverlay(null)} /> : null}
      </Suspense>
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
