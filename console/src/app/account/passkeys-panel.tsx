import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { TextField } from '../../components/text-field.tsx'
import { Time } from '../../components/time.tsx'
import { canUsePasskeys, createPasskey } from '../../lib/passkeys.ts'
import { textOf, useSubmit } from '../../lib/use-submit.ts'
import { browserOf, account as endpoints, type Passkey } from './account.ts'
import { type PanelProps, useFirstCodes } from './recovery-panel.tsx'

/** Passkeys, several and by name. */
export function PasskeysPanel(props: PanelProps) {
  const {
    account: { passkeys },
    reload,
  } = props
  const [isAdding, setAdding] = useState(false)
  const [removed, setRemoved] = useState<Passkey | null>(null)
  const first = useFirstCodes(props)
  const actions: Column<Passkey> = {
    ...{ head: 'Actions', look: 'actions' },
    cell: (passkey) => (
      <Button look="secondary" size="small" onClick={() => setRemoved(passkey)}>
        Remove<span className="only-read"> {passkey.name}</span>
      </Button>
    ),
  }
  return (
    <section className="panel">
      <header className="panel-head">
        <h2>Passkeys</h2>
        {passkeys.length > 0 ? <Badge tone="good">On</Badge> : <Badge>Off</Badge>}
      </header>
      <p>
        A passkey signs you in by itself, with the PIN, finger or face that opens your device, and on no other site than
        this one. Once you have one, your password alone opens nothing.
      </p>
      {passkeys.length > 0 ? <Table label="Passkeys" columns={[...columns, actions]} rows={passkeys} /> : null}
      {canUsePasskeys() ? (
        <div className="actions">
          <Button look="secondary" size="small" onClick={() => setAdding(true)}>
            Add a passkey
          </Button>
        </div>
      ) : (
        <p className="hint">This browser, or the address that you opened the console by, has no passkeys.</p>
      )}
      {isAdding ? (
        <AddDialog
          onClose={() => setAdding(false)}
          onDone={(codes) => {
            setAdding(false)
            first.show(codes)
          }}
        />
      ) : null}
      {removed ? (
        <ConfirmDialog
          title={`Remove ${removed.name}?`}
          action="Remove"
          onClose={() => setRemoved(null)}
          onConfirm={async () => {
            await endpoints.removePasskey(removed.id)
            reload()
          }}
        >
          <p>It signs you in no more; delete it on the device as well. Your other sessions end.</p>
        </ConfirmDialog>
      ) : null}
      {first.dialog}
    </section>
  )
}

interface AddDialogProps {
  onClose(): void
  onDone(codes: string[] | null): void
}

function AddDialog({ onClose, onDone }: AddDialogProps) {
  const { submit, isBusy, error } = useSubmit(async (form) => {
    const { options } = await endpoints.passkeyOptions()
    const passkey = await createPasskey(options)
    onDone((await endpoints.addPasskey(textOf(form, 'name'), passkey)).recovery_codes)
  })
  return (
    <FormDialog title="Add a passkey" action="Go on" {...{ submit, isBusy, error, onClose }}>
      <p>Your browser asks next where to keep it. Your other sessions end.</p>
      <TextField
        label="Name"
        name="name"
        hint="By which you know it again in the list."
        defaultValue={browserOf(navigator.userAgent)}
        required
        maxLength={60}
      />
    </FormDialog>
  )
}

const columns: readonly Column<Passkey>[] = [
  {
    ...{ head: 'Name', look: 'main' },
    cell: ({ name, is_synced }) => (
      <>
        <strong>
          <bdi>{name}</bdi>
        </strong>{' '}
        {is_synced ? <Badge>synced</Badge> : null}
      </>
    ),
  },
  { head: 'Added', cell: ({ created_at }) => <Time at={created_at} /> },
  { head: 'Last used', cell: ({ last_used_at }) => <Time at={last_used_at} none="never" /> },
]
