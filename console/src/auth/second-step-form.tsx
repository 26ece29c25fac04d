import { Banner } from '../components/banner.tsx'
import { Button } from '../components/button.tsx'
import { CodeField } from '../components/code-field.tsx'
import { ErrorBanner } from '../components/error-banner.tsx'
import { canUsePasskeys } from '../lib/passkeys.ts'
import { usePress } from '../lib/use-press.ts'
import type { useSignIn } from '../lib/use-sign-in.ts'
import { textOf, useSubmit } from '../lib/use-submit.ts'

/** The second step of a sign-in, after the right password. */
export function SecondStepForm({ signIn }: { signIn: ReturnType<typeof useSignIn> }) {
  const { step, byCode, byPasskey, startAgain } = signIn
  const methods = step?.methods ?? []
  const withCode = methods.some((method) => method !== 'passkey')
  const withPasskey = methods.includes('passkey') && canUsePasskeys()
  const code = useSubmit((form) => byCode(textOf(form, 'code')))
  const passkey = usePress(() => byPasskey())
  const error = code.error ?? passkey.error
  return (
    <div className="stack">
      {error?.code === 'sign_in_expired' ? (
        <Banner tone="error" title="This sign-in has taken too long.">
          <p>Begin again with your password.</p>
        </Banner>
      ) : error ? (
        <ErrorBanner error={error} />
      ) : null}
      <form onSubmit={code.submit} className="stack">
        {withCode ? <CodeField methods={methods} /> : null}
        <div className="actions">
          {withCode ? (
            <Button type="submit" isBusy={code.isBusy}>
              Go on
            </Button>
          ) : null}
          {withPasskey ? (
            <Button look={withCode ? 'secondary' : 'primary'} isBusy={passkey.isBusy} onClick={passkey.press}>
              Use a passkey
            </Button>
          ) : null}
          <Button look="secondary" onClick={startAgain}>
            Start again
          </Button>
        </div>
      </form>
    </div>
  )
}
