import { type ReactNode, useState } from 'react'
import { Button } from '../components/button.tsx'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { Dialog } from '../components/dialog.tsx'
import { FormDialog } from '../components/form-dialog.tsx'
import { SecretOnce } from '../components/secret-once.tsx'
import { TextField } from '../components/text-field.tsx'
import type { Demos } from './main.tsx'
import { refusal } from './words.tsx'

/** A button that opens it, and gets the focus back. */
function Opens({ words, children }: { words: string; children(close: () => void): ReactNode }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button look="secondary" onClick={() => setOpen(true)}>
        {words}
      </Button>
      {isOpen ? children(() => setOpen(false)) : null}
    </>
  )
}

const wait = async () => undefined

export const dialogs: Demos = {
  dialog: (
    <p className="actions">
      {(['box', 'wide', 'drawer'] as const).map((look) => (
        <Opens key={look} words={`Open ${look}`}>
          {(close) => (
            <Dialog title={`A ${look}`} look={look} onClose={close}>
              <p>What belongs to one row of a list.</p>
            </Dialog>
          )}
        </Opens>
      ))}
    </p>
  ),
  'confirm-dialog': (
    <Opens words="Open confirm">
      {(close) => (
        <ConfirmDialog
          title="Delete this webhook?"
          action="Delete webhook"
          typed="example.org"
          onConfirm={wait}
          onClose={close}
        >
          <p>It cannot be taken back.</p>
        </ConfirmDialog>
      )}
    </Opens>
  ),
  'form-dialog': (
    <Opens words="Open form">
      {(close) => (
        <FormDialog
          title="Rotate the signing key"
          action="Make the new key"
          submit={(event) => event.preventDefault()}
          isBusy={false}
          error={refusal(409, 'rotation_open', 'A rotation is under way.')}
          onClose={close}
        >
          <TextField label="Label (optional)" />
        </FormDialog>
      )}
    </Opens>
  ),
  'secret-once': (
    <Opens words="Open secret">
      {(close) => <SecretOnce title="Your new token" what="token" secret={'0123456789'.repeat(6)} onClose={close} />}
    </Opens>
  ),
}
