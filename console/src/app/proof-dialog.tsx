import { ErrorBanner } from '../components/error-banner.tsx'
import { FormDialog } from '../components/form-dialog.tsx'
import { PasswordField } from '../components/text-field.tsx'
import { call } from '../lib/api.ts'
import { textOf, useSubmit } from '../lib/use-submit.ts'

export interface ProofWish {
  why: 'signed_out' | 'old_proof'
  answer(isProved: boolean): void
}

const words = {
  signed_out: ['Sign in again', 'Your session has ended. What you typed is still here.'],
  old_proof: ['Confirm it is you', 'Your sign-in is more than ten minutes ago, and this is for you alone to do.'],
} as const

/** Asks for the password over the page, which stays as it is. */
export function ProofDialog({ email, why, answer }: ProofWish & { email: string }) {
  const { submit, isBusy, error } = useSubmit(async (form) => {
    await call('POST', '/session', { body: { email, password: textOf(form, 'password') } })
    answer(true)
  })
  const [title, text] = words[why]
  return (
    <FormDialog title={title} action="Go on" submit={submit} isBusy={isBusy} onClose={() => answer(false)}>
      <p>
        {text} You are <bdi>{email}</bdi>.
      </p>
      {error ? <ErrorBanner error={error} /> : null}
      <input type="hidden" autoComplete="username" value={email} readOnly />
      <PasswordField label="Password" name="password" autoComplete="current-password" required maxLength={1_000} />
    </FormDialog>
  )
}
