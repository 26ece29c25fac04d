import { lazy, Suspense } from 'react'
import { Button } from '../components/button.tsx'
import { Icon } from '../components/icon.tsx'
import { Link } from '../lib/router.tsx'
import { AccountMenu } from './account-menu.tsx'
import { BarAndPages } from './bar-and-pages.tsx'
import { useMe } from './me.tsx'
import { OrganizationSwitcher } from './organization-switcher.tsx'
import { pages } from './pages.ts'
import { useKeys } from './use-keys.ts'

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }))
const KeysHelp = lazy(async () => ({ default: (await import('./keys-help.tsx')).KeysHelp }))

/** The frame around every page: where one can go, for which organization, as whom. */
export function Shell() {
  const [overlay, setOverlay] = useKeys()
  return (
    <>
      <BarAndPages home="/" navigation={(path) => <Navigation path={path} />}>
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
      </BarAndPages>
      {/* Loaded when somebody asks for them. */}
      <Suspense>
        {overlay === 'palette' ? <Palette onClose={() => setOverlay(null)} /> : null}
        {overlay === 'help' ? <KeysHelp onClose={() => setOverlay(null)} /> : null}
      </Suspense>
    </>
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

function Navigation({ path }: { path: string }) {
  const { role } = useMe().membership
  const shown = pages.filter(({ words, roles }) => words && (roles?.includes(role) ?? true))
  const grouped = [...Map.groupBy(shown, ({ group }) => group ?? '')]
  return (
    <>
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
    </>
  )
}

const isWithin = (path: string, to: string) => path === to || (to !== '/' && path.startsWith(`${to}/`))
