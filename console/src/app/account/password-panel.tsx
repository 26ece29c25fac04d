import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { PasswordField } from '../../components/text-field.tsx'
import { textOf, useSubmit } from '../../lib/use-submit.ts'
import { account as endpoints } from './account.ts'
import type { PanelProps } from './recovery-panel.tsx'

export function PasswordPanel({ account: { email }, reload }: PanelProps) {
  const [isOpen, setOpen] = useState(false)
  const [isChanged, setChanged] = useState(false)
  return (
    <section className="panel">
      <h2>Password</h2>
      <p role="status">
        {isChanged
          ? 'Your password is changed, and your other sessions have ended.'
          : 'At least 12 characters. A password manager makes a good one and keeps it.'}
      </p>
      <div className="actions">
        <Button look="secondary" size="small" onClick={() => setOpen(true)}>
          Change password
        </Button>
      </div>
      {isOpen ? (
        <ChangeDialog
          email={email}
          onClose={() => setOpen(false)}
          onDone={() => {
            setOpen(false)
            setChanged(true)
            reload()
          }}
        />
      ) : null}
    </section>
  )
}

function ChangeDialog({ email, onClose, onDone }: { email: string; onClose(): void; onDone(): void }) {
  const { submit, isBusy, error } = useSubmit(async (form) => {
    await endpoints.setPassword(textOf(form, 'password'))
    onDone()
  })
  const fault = error?.fields.find(({ pointer }) => pointer === '/password')?.message
  return (
    <FormDialog
      title="Change password"
      action="Change password"
      error={fault ? null : error}
      {...{ submit, isBusy, onClose }}
    >
      <input type="hidden" autoComplete="username" value={email} readOnly />
      <PasswordField
        label="New password"
        name="password"
        autoComplete="new-password"
        hint="12 characters or more. A few random words are easier to remember than symbols."
        required
        fault={fault && `It ${fault}.`}
      />
      <p className="hint">Your other sessions end.</p>
    </FormDialog>
  )
}
