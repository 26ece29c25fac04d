import { Button } from '../components/button.tsx'
import { PageTitle } from './frame.tsx'

export function Nowhere() {
  return <PageTitle title="There is nothing at this address" />
}

/** A page that breaks, or whose code could not be loaded after an update of the service; the others go on. */
export function Broken() {
  return (
    <>
      <PageTitle title="This page could not be shown" />
      <p>It may have changed on the service meanwhile.</p>
      <Button onClick={() => location.reload()}>Load it again</Button>
    </>
  )
}
