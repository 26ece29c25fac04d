import { Skeleton } from '../components/skeleton.tsx'
import { startRouter, usePathId } from '../lib/router.tsx'
import { Broken, Nowhere } from './dead-ends.tsx'
import { PageTitle } from './frame.tsx'
import { useMe } from './me.tsx'
import type { PageEntry } from './page-entry.ts'
import { pages } from './pages.ts'
import { Shell } from './shell.tsx'

/** Every page within the shell, for those who have the right to it. */
export const router = startRouter(
  pages.map((entry) => ({
    path: entry.path,
    Page: () => <Guarded entry={entry} />,
    preload: async () => void (await entry.Page.preload?.()),
  })),
  { frame: Shell, pending: () => <Skeleton rows={6} />, broken: Broken, nowhere: Nowhere },
)

/** The page alone hides what the service would refuse anyway. */
function Guarded({ entry: { Page, roles } }: { entry: PageEntry }) {
  const { role } = useMe().membership
  const id = usePathId()
  if (!roles || roles.includes(role)) return <Page id={id} />
  return (
    <>
      <PageTitle title="Not with your role" />
      <p>
        You are <strong>{role}</strong> here. This page is for {wordsOfRoles(roles)}; an owner or admin can change your
        role.
      </p>
    </>
  )
}

const wordsOfRoles = (roles: readonly string[]) => `${roles.slice(0, -1).join(', ')} and ${roles.at(-1)}`
