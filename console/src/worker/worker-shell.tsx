import { useState } from 'react'
import { AccountMenu } from '../app/account-menu.tsx'
import mark from '../assets/mark.svg'
import { Badge } from '../components/badge.tsx'
import { Link, Outlet, usePath } from '../lib/router.tsx'
import { pages } from './pages.ts'
import { choosePlace, useWorker } from './worker.ts'

/** The frame around every page of a worker: for whom one works, and where one can go. */
export function WorkerShell() {
  const path = usePath()
  const [openedAt, setOpenedAt] = useState<string | null>(null)
  const isOpen = openedAt === path
  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to content
      </a>
      <header className="bar">
        <Link className="product" to="/worker">
          <img src={mark} alt="" width="28" height="28" />
          <span>Stint</span>
        </Link>
        <Employer />
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
      <nav id="navigation" className={isOpen ? 'side open' : 'side'} aria-label="Pages">
        <ul>
          {pages
            .filter(({ words }) => words)
            .map(({ words, path: to }) => (
              <li key={to}>
                <Link to={to} aria-current={isWithin(path, to) ? 'page' : undefined}>
                  {words}
                </Link>
              </li>
            ))}
        </ul>
      </nav>
      <main id="main" tabIndex={-1} key={path}>
        <Outlet />
      </main>
    </div>
  )
}

const isWithin = (path: string, to: string) =>
  to === '/worker' ? path === to || path.startsWith('/worker/contracts') : path === to || path.startsWith(`${to}/`)

/** The organization that one works for; several, where there are. */
function Employer() {
  const { session, place } = useWorker()
  const { organization_id, organization_name, is_sandbox } = place
  return (
    <div className="organization">
      {session.workers.length === 1 ? (
        <bdi className="organization-name">{organization_name}</bdi>
      ) : (
        <select
          aria-label="You work for"
          value={organization_id}
          onChange={(event) => choosePlace(event.currentTarget.value)}
        >
          {session.workers.map((one) => (
            <option key={one.organization_id} value={one.organization_id}>
              {one.organization_name}
              {one.is_sandbox ? ' (sandbox)' : ''}
            </option>
          ))}
        </select>
      )}
      {is_sandbox ? <Badge tone="sandbox">Sandbox</Badge> : null}
    </div>
  )
}
