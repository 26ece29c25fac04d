import { Banner } from '../../components/banner.tsx'
import { FailedPage } from '../../components/failed-page.tsx'
import { Loading } from '../../components/loading.tsx'
import { Page } from '../../components/page.tsx'
import type { ApiError } from '../../lib/api.ts'
import { useLoaded } from '../../lib/use-loaded.ts'
import { useSignIn } from '../../lib/use-sign-in.ts'
import { SecondStepForm } from '../second-step-form.tsx'
import { OwnerForm } from './owner-form.tsx'
import { PasswordForm } from './password-form.tsx'
import { leave, loadSetUp } from './set-up.ts'

export function SetUpPage() {
  const loaded = useLoaded(loadSetUp)
  const signIn = useSignIn(leave)
  if (loaded.state === 'loading') return <Loading />
  if (loaded.state === 'failed') {
    const { error, reload } = loaded
    return error.status === 404 ? <LinkOverPage error={error} /> : <FailedPage error={error} reload={reload} />
  }
  const { value } = loaded
  if (value.purpose === 'first_owner') {
    return (
      <Page title="Set up Stint">
        <p>You become the owner of the first organization.</p>
        <OwnerForm currencies={value.currencies} />
      </Page>
    )
  }
  if (signIn.step) {
    return (
      <Page title="One more step">
        <p>The new password is saved. Your second factor is asked for as always.</p>
        <SecondStepForm signIn={{ ...signIn, startAgain: () => location.replace('/console/sign-in') }} />
      </Page>
    )
  }
  return (
    <Page title="Choose a password">
      <p>
        For the account of <bdi>{value.name}</bdi>. Its other sessions end.
      </p>
      <PasswordForm email={value.email} goOn={signIn.goOn} />
    </Page>
  )
}

function LinkOverPage({ error }: { error: ApiError }) {
  return (
    <Page title="This link cannot be used">
      <Banner tone="warning">
        <p>{location.hash.length > 1 ? error.message : 'The address is not complete: the part behind # is missing.'}</p>
      </Banner>
      {error.reason === 'used' || error.reason === 'taken' ? (
        <p>
          If the account is yours, <a href="/console/sign-in">sign in</a>.
        </p>
      ) : null}
      <p>The operator of this service makes a new link for an account with one of these commands:</p>
      <pre>
        <code>
          {'npx stint admin create --email you@example.org --organization "My company" --link\n'}
          {'npx stint admin reset --email you@example.org'}
        </code>
      </pre>
    </Page>
  )
}
