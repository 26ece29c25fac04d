import { Button } from '../../components/button.tsx'
import { ErrorBanner } from '../../components/error-banner.tsx'
import { PasswordField, TextField } from '../../components/text-field.tsx'
import { faultAt, isOfNoField } from '../../lib/faults.ts'
import { textOf, useSubmit } from '../../lib/use-submit.ts'
import { password_hint } from '../set-up/owner-form.tsx'
import { acceptInvitation } from './invitation.ts'

/** Makes the login that the invitation is for. */
export function LoginForm({ email, name }: { email: string; name: string | null }) {
  const { submit, isBusy, error } = useSubmit((form) =>
    acceptInvitation({
      password: textOf(form, 'password'),
      ...(name === null && { name: textOf(form, 'name').trim() }),
    }),
  )
  return (
    <form onSubmit={submit} className="stack">
      {isOfNoField(error, ['/name', '/password']) ? <ErrorBanner error={error} /> : null}
      {name === null ? (
        <TextField
          label="Your name"
          name="name"
          autoComplete="name"
          required
          maxLength={200}
          fault={faultAt(error, '/name')}
        />
      ) : null}
      {/* Shown so that password managers know whose password it is; it is where the invitation went. */}
      <TextField label="E-mail" name="email" autoComplete="username" value={email} readOnly />
      <PasswordField
        label="Choose a password"
        name="password"
        autoComplete="new-password"
        required
        hint={password_hint}
        fault={faultAt(error, '/password')}
      />
      <div className="actions">
        <Button type="submit" isBusy={isBusy}>
          Make the login and go on
        </Button>
      </div>
    </form>
  )
}

/** One press, by whom the invitation is for. */
export function AcceptForm({ email }: { email: string }) {
  const { submit, isBusy, error } = useSubmit(() => acceptInvitation({}))
  return (
    <form onSubmit={submit} className="stack">
      {error ? <ErrorBanner error={error} /> : null}
      <p>
        You are signed in as <bdi>{email}</bdi>.
      </p>
      <div className="actions">
        <Button type="submit" isBusy={isBusy}>
          Go on
        </Button>
      </div>
    </form>
  )
}
