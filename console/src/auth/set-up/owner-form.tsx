import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ErrorBanner } from '../../components/error-banner.tsx'
import { SelectField } from '../../components/select-field.tsx'
import { PasswordField, TextField } from '../../components/text-field.tsx'
import type { ApiError } from '../../lib/api.ts'
import { currencyOptions, likelyCurrency, ownTimeZone, timeZoneOptions } from '../../lib/choices.ts'
import { textOf, useSubmit } from '../../lib/use-submit.ts'
import { leave, makeOwner } from './set-up.ts'

export const password_hint = '12 characters or more. A few random words are easier to remember than symbols.'

export function OwnerForm({ currencies }: { currencies: readonly string[] }) {
  const [zones] = useState(timeZoneOptions)
  const { submit, isBusy, error } = useSubmit(async (form) => {
    await makeOwner(bodyOf(form))
    leave()
  })
  const faultOf = (pointer: string) => faultAt(error, pointer)
  return (
    <form onSubmit={submit} className="stack">
      {error && error.fields.length === 0 ? <ErrorBanner error={error} /> : null}
      <TextField
        label="Your name"
        name="name"
        autoComplete="name"
        required
        maxLength={200}
        fault={faultOf('/owner/name')}
      />
      <TextField
        label="E-mail"
        name="email"
        type="email"
        autoComplete="username"
        required
        maxLength={254}
        fault={faultOf('/owner/email')}
      />
      <PasswordField
        label="Password"
        name="password"
        autoComplete="new-password"
        required
        hint={password_hint}
        fault={faultOf('/password')}
      />
      <TextField
        label="Organization"
        name="organization"
        autoComplete="organization"
        required
        maxLength={200}
        fault={faultOf('/owner/organization/name')}
      />
      <div className="pair">
        <SelectField
          label="Time zone"
          name="timezone"
          options={zones}
          defaultValue={ownTimeZone()}
          fault={faultOf('/owner/organization/timezone')}
        />
        <SelectField
          label="Currency"
          name="currency"
          options={currencyOptions(currencies)}
          defaultValue={likelyCurrency(currencies)}
          fault={faultOf('/owner/organization/default_currency')}
        />
      </div>
      <label className="choice">
        <input type="checkbox" name="with_sandbox" />
        <span className="choice-words">
          <span>Also a sandbox with sample data</span>
          <span className="hint">To try everything with invented people; its clock can be moved.</span>
        </span>
      </label>
      <div className="actions">
        <Button type="submit" isBusy={isBusy}>
          Create organization and sign in
        </Button>
      </div>
    </form>
  )
}

function bodyOf(form: FormData) {
  return {
    password: textOf(form, 'password'),
    owner: {
      name: textOf(form, 'name'),
      email: textOf(form, 'email'),
      organization: {
        name: textOf(form, 'organization'),
        timezone: textOf(form, 'timezone'),
        default_currency: textOf(form, 'currency'),
      },
      with_sandbox: form.has('with_sandbox'),
    },
  }
}

export function faultAt(error: ApiError | null, pointer: string): string | undefined {
  const message = error?.fields.find((field) => field.pointer === pointer)?.message
  return message && `It ${message}.`
}
