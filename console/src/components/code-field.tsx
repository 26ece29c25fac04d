import { useState } from 'react'
import type { SecondStep } from '../lib/use-sign-in.ts'
import { Button } from './button.tsx'
import { TextField } from './text-field.tsx'

interface CodeFieldProps {
  methods: SecondStep['methods']
  fault?: string | undefined
}

/** The field `code` of a form: for the code of an app or, in its place, a recovery code. */
export function CodeField({ methods, fault }: CodeFieldProps) {
  const [isRecovery, setRecovery] = useState(!methods.includes('totp'))
  const canSwitch = methods.includes('totp') && methods.includes('recovery_code')
  return (
    <div className="code-field">
      {isRecovery ? (
        <TextField
          key="recovery"
          label="Recovery code"
          name="code"
          hint="One of the ten that you were shown when you set up the second step. Each works once."
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          required
          maxLength={40}
          fault={fault}
        />
      ) : (
        <AppCodeField hint="The six digits that your authenticator app shows." fault={fault} />
      )}
      {canSwitch ? (
        <Button look="link" onClick={() => setRecovery(!isRecovery)}>
          {isRecovery ? 'Use the app instead' : 'Use a recovery code instead'}
        </Button>
      ) : null}
    </div>
  )
}

export function AppCodeField({ hint, fault }: { hint: string; fault?: string | undefined }) {
  return (
    <TextField
      label="Code from your app"
      name="code"
      hint={hint}
      inputMode="numeric"
      autoComplete="one-time-code"
      required
      maxLength={20}
      fault={fault}
    />
  )
}
