import { AccountMenu } from '../app/account-menu.tsx'
import { BarAndPages } from '../app/bar-and-pages.tsx'
import { PlaceSelect } from '../app/place-select.tsx'
import { Link } from '../lib/router.tsx'
import { pages } from './pages.ts'
import { choosePlace, useWorker } from './worker.ts'

/** The frame around every page of a worker: for whom one works, and where one can go. */
export function WorkerShell() {
  const { session, place } = useWorker()
  return (
    <BarAndPages home="/worker" navigation={(path) => <Navigation path={path} />}>
      <PlaceSelect label="You work for" chosen={place} places={session.workers} onChoose={choosePlace} />
      <AccountMenu account="/worker/account" />
    </BarAndPages>
  )
}

function Navigation({ path }: { path: string }) {
  return (
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
  )
}

const isWithin = (path: string, to: string) =>
  to === '/worker' ? path === to || path.startsWith('/worker/contracts') : path === to || path.startsWith(`${to}/`)
