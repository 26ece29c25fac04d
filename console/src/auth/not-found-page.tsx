import { Page } from '../components/page.tsx'

export function NotFoundPage() {
  return (
    <Page title="There is nothing at this address">
      <p>
        <a href="/console">Go to the start of the console</a>
      </p>
    </Page>
  )
}
