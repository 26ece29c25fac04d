import { Button } from '../../components/button.tsx'
import { ErrorBanner } from '../../components/error-banner.tsx'
import { PasswordField, TextField } from '../../components/text-field.tsx'
import type { SignInAnswer } from '../../lib/use-sign-in.ts'
import { textOf, useSubmit } from '../../lib/use-submit.ts'
import { faultAt, password_hint } from './owner-form.tsx'
import { finishSetUp } from './set-up.ts'

interface PasswordFormProps {
  email: string
  goOn(answer: SignInAnswer): void
}

export function PasswordForm({ email, goOn }: PasswordFormProps) {
  const { submit, isBusy, error } = useSubmit(async (form) =>
    goOn(await finishSetUp({ password: textOf(form, 'password') })),
  )
  return (
    <form onSubmit={submit} className="stack">
      {error && error.fields.length === 0 ? <ErrorBanner error={error} /> : null}
      {/* Shown so that password managers know whose password it is. */}
      <TextField label="E-mail" name="email" autoComplete="username" value={email} readOnly />
      <PasswordField
        label="New password"
        name="password"
        autoComplete="new-password"
        required
        hint={password_hint}
        fault={faultAt(error, '/password')}
      />
      <div className="actions">
        <Button type="submit" isBusy={isBusy}>
          Save and sign in
        </Button>
      </div>
    </form>
  )
}
