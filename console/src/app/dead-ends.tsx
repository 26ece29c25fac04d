import { useEffect } from 'react'
import { Button } from '../components/button.tsx'
import { PageTitle } from './frame.tsx'
import { Away, isServed } from './page-entry.ts'

export function Nowhere() {
  return <PageTitle title="There is nothing at this address" />
}

/** A page that breaks, or whose code could not be loaded after an update of the service; the others go on. */
export function Broken({ error }: { error: unknown }) {
  if (error instanceof Away) return <Waiting />
  return (
    <>
      <PageTitle title="This page could not be shown" />
      <p>It may have changed on the service meanwhile.</p>
      <Button onClick={() => location.reload()}>Load it again</Button>
    </>
  )
}

const asked_every_ms = 3_000

/** The page comes by itself once the service is back. */
function Waiting() {
  useEffect(() => {
    const timer = setInterval(async () => {
      if (await isServed()) location.reload()
    }, asked_every_ms)
    return () => clearInterval(timer)
  }, [])
  return (
    <>
      <PageTitle title="Stint does not answer" />
      <p role="status">It may be restarting. This page comes by itself once it is back.</p>
    </>
  )
}
