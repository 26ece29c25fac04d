import { useEffect, useRef, useState } from 'react'
import { Banner } from '../components/banner.tsx'
import { Button } from '../components/button.tsx'
import { ErrorBanner } from '../components/error-banner.tsx'
import { FailedPage } from '../components/failed-page.tsx'
import { Loading } from '../components/loading.tsx'
import { Page } from '../components/page.tsx'
import { PasswordField, TextField } from '../components/text-field.tsx'
import type { ApiError } from '../lib/api.ts'
import { canOfferPasskeys, canUsePasskeys } from '../lib/passkeys.ts'
import { loadSession, returnPathOf } from '../lib/session.ts'
import { useCountdown } from '../lib/use-countdown.ts'
import { useLoaded } from '../lib/use-loaded.ts'
import { usePress } from '../lib/use-press.ts'
import { useSignIn } from '../lib/use-sign-in.ts'
import { textOf, useSubmit } from '../lib/use-submit.ts'
import { SecondStepForm } from './second-step-form.tsx'

export function SignInPage() {
  const loaded = useLoaded(loadSession)
  const to = returnPathOf(location.search)
  const isSignedIn = loaded.state === 'ready' && loaded.value.session !== null
  useEffect(() => {
    if (isSignedIn) location.replace(to)
  }, [isSignedIn, to])
  const signIn = useSignIn(() => location.replace(to))
  if (loaded.state === 'failed') return <FailedPage error={loaded.error} reload={loaded.reload} />
  if (loaded.state === 'loading' || isSignedIn) return <Loading />
  if (signIn.step) {
    return (
      <Page title="One more step">
        <SecondStepForm signIn={signIn} />
      </Page>
    )
  }
  return (
    <Page title="Sign in">
      {to.startsWith('/console/authorize/') ? <p>An application asks for access. Sign in to decide.</p> : null}
      {loaded.value.is_new ? <NobodyYet reload={loaded.reload} /> : <SignInForm signIn={signIn} />}
    </Page>
  )
}

function SignInForm({ signIn }: { signIn: ReturnType<typeof useSignIn> }) {
  const [blocked_until_ms, setBlockedUntil] = useState<number | null>(null)
  const wait_s = useCountdown(blocked_until_ms)
  const password = useSubmit(async (form) => {
    if (wait_s > 0) return
    try {
      await signIn.byPassword(textOf(form, 'email'), textOf(form, 'password'))
    } catch (thrown) {
      const { retry_after_s = 0 } = thrown as Partial<ApiError>
      if (retry_after_s > 0) setBlockedUntil(Date.now() + retry_after_s * 1_000)
      throw thrown
    }
  })
  const passkey = usePress(() => signIn.byPasskey())
  usePasskeyOffer(signIn.byPasskey)
  const error = passkey.error ?? password.error
  return (
    <form
      onSubmit={(event) => {
        passkey.clear()
        return password.submit(event)
      }}
      className="stack"
    >
      {error && !(error.status === 429 && wait_s === 0) ? <SignInError error={error} wait_s={wait_s} /> : null}
      <TextField label="E-mail" name="email" type="email" autoComplete="username webauthn" required maxLength={254} />
      <PasswordField label="Password" name="password" autoComplete="current-password" required maxLength={1_000} />
      <div className="actions">
        <Button type="submit" isBusy={password.isBusy} disabled={wait_s > 0}>
          Sign in
        </Button>
        {canUsePasskeys() ? (
          <Button look="secondary" isBusy={passkey.isBusy} onClick={passkey.press}>
            Use a passkey
          </Button>
        ) : null}
      </div>
      <p className="hint">
        Forgotten the password? Whoever runs this service makes a link for a new one, with{' '}
        <code>stint admin reset</code>.
      </p>
    </form>
  )
}

/** A challenge holds five minutes; a page that was left open has a fresh one. */
const offered_again_after_ms = 240_000

/** Has the browser offer its passkeys in the field of the e-mail address. What comes of it is told by signing in alone. */
function usePasskeyOffer(byPasskey: (offered: boolean) => Promise<void>): void {
  const sign = useRef(byPasskey)
  sign.current = byPasskey
  useEffect(() => {
    let isCurrent = true
    const offer = async () => {
      if (isCurrent && (await canOfferPasskeys())) await sign.current(true).catch(() => undefined)
    }
    offer()
    const timer = setInterval(offer, offered_again_after_ms)
    return () => {
      isCurrent = false
      clearInterval(timer)
    }
  }, [])
}

function SignInError({ error, wait_s }: { error: ApiError; wait_s: number }) {
  if (error.code === 'sign_in_refused') {
    return <Banner tone="error" title="The e-mail address or the password is wrong." />
  }
  if (error.status !== 429) return <ErrorBanner error={error} />
  return (
    <Banner tone="error" title="Too many attempts.">
      {/* The alert is read out once; the ticking seconds are for the eye. */}
      <p aria-hidden="true">You can try again in {wait_s} s.</p>
    </Banner>
  )
}

function NobodyYet({ reload }: { reload(): void }) {
  return (
    <>
      <Banner tone="info" title="Nobody has an account here yet.">
        <p>
          When it started, the service named a file with a set-up link: open that link. Or make an account with{' '}
          <code>npx stint admin create</code>.
        </p>
      </Banner>
      <div className="actions">
        <Button look="secondary" onClick={reload}>
          Look again
        </Button>
      </div>
    </>
  )
}
