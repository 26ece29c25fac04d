import { type ReactNode, useState } from 'react'
import mark from '../assets/mark.svg'
import { Offline } from '../components/offline.tsx'
import { Link, Outlet, usePath } from '../lib/router.tsx'

interface BarAndPagesProps {
  /** The page behind the mark. */
  home: string
  /** The bar between the mark and the button of the menu. */
  children: ReactNode
  navigation(path: string): ReactNode
}

/** The frame around every page: the bar, the navigation that a narrow window opens by its button, the page itself. */
export function BarAndPages({ home, children, navigation }: BarAndPagesProps) {
  const path = usePath()
  const [openedAt, setOpenedAt] = useState<string | null>(null)
  const isOpen = openedAt === path
  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to content
      </a>
      <header className="bar">
        <Link className="product" to={home}>
          <img src={mark} alt="" width="28" height="28" />
          <span>Stint</span>
        </Link>
        {children}
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
        {navigation(path)}
      </nav>
      <main id="main" tabIndex={-1} key={path}>
        <Offline />
        <Outlet />
      </main>
    </div>
  )
}
