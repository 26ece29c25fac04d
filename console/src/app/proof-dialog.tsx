import { useEffect, useState } from 'react'
import { Button } from '../components/button.tsx'
import { CodeField } from '../components/code-field.tsx'
import { FormDialog } from '../components/form-dialog.tsx'
import { PasswordField } from '../components/text-field.tsx'
import { call } from '../lib/api.ts'
import { canUsePasskeys, type SigningOptions, signByPasskey } from '../lib/passkeys.ts'
import { usePress } from '../lib/use-press.ts'
import { useSignIn } from '../lib/use-sign-in.ts'
import { textOf, useSubmit } from '../lib/use-submit.ts'

export interface ProofWish {
  why: 'signed_out' | 'old_proof'
  answer(isProved: boolean): void
}

type ProofDialogProps = ProofWish & { email: string }

/** Asks over the page, which stays as it is, who is there. */
export function ProofDialog({ why, ...props }: ProofDialogProps) {
  return why === 'old_proof' ? <ProveDialog {...props} /> : <SignInDialog {...props} />
}

type StepProps = Omit<ProofDialogProps, 'why'>

/** The session stands: a passkey or the password is enough. */
function ProveDialog({ email, answer }: StepProps) {
  const options = usePasskeyOptions()
  const passkey = usePress(async () => {
    // Asked for anew: a challenge counts once, and this one may have been refused.
    const { options } = await call<{ options: SigningOptions }>('POST', '/proof/options')
    await call('POST', '/proof/passkey', { body: { passkey: await signByPasskey(options) } })
    answer(true)
  })
  const password = useSubmit(async (form) => {
    await call('POST', '/proof', { body: { password: textOf(form, 'password') } })
    answer(true)
  })
  return (
    <FormDialog
      title="Confirm it is you"
      action="Go on"
      submit={password.submit}
      isBusy={password.isBusy}
      error={password.error ?? passkey.error}
      onClose={() => answer(false)}
    >
      <p>
        Your sign-in is more than ten minutes ago, and this is for you alone to do. You are <bdi>{email}</bdi>.
      </p>
      {options ? <PasskeyButton {...passkey} /> : null}
      <input type="hidden" autoComplete="username" value={email} readOnly />
      <PasswordField
        label={options ? 'Or your password' : 'Password'}
        name="password"
        autoComplete="current-password"
        required
        maxLength={1_000}
      />
    </FormDialog>
  )
}

/** Null for who has no passkey, and until it is known. */
function usePasskeyOptions(): SigningOptions | null {
  const [options, setOptions] = useState<SigningOptions | null>(null)
  useEffect(() => {
    if (!canUsePasskeys()) return
    // Without an answer the password is asked for alone.
    call<{ options: SigningOptions | null }>('POST', '/proof/options').then(
      (answer) => setOptions(answer.options),
      () => undefined,
    )
  }, [])
  return options
}

/** The session is over: the whole sign-in comes again, and of the same person. */
function SignInDialog({ email, answer }: StepProps) {
  const signIn = useSignIn((who) => (who.email === email ? answer(true) : location.reload()))
  const { step, byPassword, byCode, byPasskey } = signIn
  const passkey = usePress(() => byPasskey())
  const form = useSubmit((fields) =>
    step ? byCode(textOf(fields, 'code')) : byPassword(email, textOf(fields, 'password')),
  )
  return (
    <FormDialog
      title="Sign in again"
      action="Go on"
      submit={form.submit}
      isBusy={form.isBusy}
      error={form.error ?? passkey.error}
      onClose={() => answer(false)}
    >
      <p>
        Your session has ended. What you typed is still here. You are <bdi>{email}</bdi>.
      </p>
      {canUsePasskeys() ? <PasskeyButton {...passkey} /> : null}
      <input type="hidden" autoComplete="username" value={email} readOnly />
      {step ? (
        <CodeField methods={step.methods} />
      ) : (
        <PasswordField label="Password" name="password" autoComplete="current-password" required maxLength={1_000} />
      )}
    </FormDialog>
  )
}

function PasskeyButton({ press, isBusy }: Pick<ReturnType<typeof usePress>, 'press' | 'isBusy'>) {
  return (
    <div className="actions">
      <Button look="secondary" isBusy={isBusy} onClick={press}>
        Use a passkey
      </Button>
    </div>
  )
}
