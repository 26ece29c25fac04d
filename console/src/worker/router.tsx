import { Broken, Nowhere } from '../app/dead-ends.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { startRouter, usePathId } from '../lib/router.tsx'
import { pages } from './pages.ts'
import { WorkerShell } from './worker-shell.tsx'

/** Every page of a worker within its shell. */
export const router = startRouter(
  pages.map(({ path, Page }) => ({
    path,
    Page: () => <Page id={usePathId()} />,
    preload: async () => void (await Page.preload?.()),
  })),
  { frame: WorkerShell, pending: () => <Skeleton rows={6} />, broken: Broken, nowhere: Nowhere },
)
