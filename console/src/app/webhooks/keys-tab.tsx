import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { List } from '../../components/list.tsx'
import { SecretOnce, shown_before } from '../../components/secret-once.tsx'
import { SelectField } from '../../components/select-field.tsx'
import type { Column } from '../../components/table.tsx'
import { TextField } from '../../components/text-field.tsx'
import { Time } from '../../components/time.tsx'
import { faultAt, isOfNoField } from '../../lib/faults.ts'
import { entryOf, type SigningKey, type Webhook } from '../../lib/nouns.ts'
import { stint } from '../../lib/service.ts'
import { useList } from '../../lib/use-answer.ts'
import { textOf, useSubmit } from '../../lib/use-submit.ts'
import { useMe } from '../me.tsx'
import { Snippets } from './snippets.tsx'

const labelOf = ({ label }: SigningKey) => label
const tones = { next: 'plain', primary: 'good', previous: 'warning', retired: 'plain' } as const

/** Keys that sign; a new one takes over without a gap while the old one goes on signing beside it. */
export function KeysTab({ webhook, reload }: { webhook: Webhook; reload(): void }) {
  const { can } = useMe()
  const webhook_id = webhook.id
  const list = useList(stint.webhooks.list_signing_keys, { webhook_id }, labelOf)
  const [open, setOpen] = useState<'rotate' | SigningKey | null>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const mayWrite = can('webhooks:write')
  const changed = () => {
    list.reload()
    reload()
  }
  const actions: Column<SigningKey> = {
    ...{ head: 'Actions', look: 'actions' },
    cell: (key) =>
      key.state === 'next' || key.state === 'previous' ? (
        <Button look="secondary" size="small" onClick={() => setOpen(key)}>
          Retire now<span className="only-read"> {key.label}</span>
        </Button>
      ) : null,
  }
  return (
    <section aria-label="Signing keys">
      {mayWrite ? (
        <div className="toolbar">
          <Button size="small" onClick={() => setOpen('rotate')}>
            Rotate key
          </Button>
        </div>
      ) : null}
      <List
        list={list}
        label="Signing keys"
        one="key"
        columns={mayWrite ? [...columns, actions] : columns}
        idOf={labelOf}
        isPale={({ state }) => state === 'retired'}
        empty={<p>No key.</p>}
      />
      <h2>Verify a signature</h2>
      <Snippets />
      {open === 'rotate' ? (
        <RotateKeyDialog
          webhook_id={webhook_id}
          onClose={() => setOpen(null)}
          onRotated={(value) => {
            setOpen(null)
            setSecret(value)
            changed()
          }}
        />
      ) : null}
      {open !== null && open !== 'rotate' ? (
        <ConfirmDialog
          title={`Retire ${open.label} now?`}
          action="Retire key"
          onClose={() => setOpen(null)}
          onConfirm={async () => {
            await stint.webhooks.delete_signing_key({ webhook_id, label: open.label })
            changed()
          }}
        >
          <p>It signs nothing any more. A receiver that knows only this key refuses what comes next.</p>
        </ConfirmDialog>
      ) : null}
      {secret === null ? null : (
        <SecretOnce title="The new signing key" what="signing key" secret={secret} onClose={() => setSecret(null)} />
      )}
    </section>
  )
}

const columns: readonly Column<SigningKey>[] = [
  { ...{ head: 'Label', look: 'main' }, cell: ({ label }) => <code>{label}</code> },
  { head: 'Status', cell: ({ state }) => <Badge tone={entryOf(tones, state, 'plain')}>{state}</Badge> },
  { head: 'Active', cell: ({ activates_at }) => <Time at={activates_at} /> },
  { head: 'Retires', cell: ({ retires_at }) => <Time at={retires_at} none="when replaced" /> },
  { head: 'Last used', cell: ({ last_used_at }) => <Time at={last_used_at} none="never" /> },
]

const activations = [
  { value: '0', words: 'Now' },
  { value: '1', words: 'In 1 hour' },
  { value: '24', words: 'In 1 day' },
  { value: '167', words: 'In 7 days' },
]
const overlaps = [
  { value: '0', words: 'Not at all' },
  { value: '1', words: '1 hour' },
  { value: '24', words: '1 day' },
  { value: '168', words: '7 days' },
]
const hour_ms = 3_600_000

interface RotateKeyDialogProps {
  webhook_id: string
  onRotated(signing_key: string): void
  onClose(): void
}

function RotateKeyDialog({ webhook_id, onRotated, onClose }: RotateKeyDialogProps) {
  const [idempotency_key] = useState(() => crypto.randomUUID())
  const { submit, isBusy, error } = useSubmit(async (form) => {
    const ahead_h = Number(textOf(form, 'activation'))
    const label = textOf(form, 'label').trim()
    const input = {
      webhook_id,
      ...(label && { label }),
      ...(ahead_h > 0 && { activate_at: new Date(Date.now() + ahead_h * hour_ms).toISOString() }),
      overlap_hours: Number(textOf(form, 'overlap')),
    }
    onRotated((await stint.webhooks.rotate_signing_key(input, { idempotency_key })).signing_key ?? shown_before)
  })
  return (
    <FormDialog
      title="Rotate the signing key"
      action="Make the new key"
      submit={submit}
      isBusy={isBusy}
      error={isOfNoField(error, ['/label']) ? error : null}
      onClose={onClose}
    >
      <TextField
        label="Label (optional)"
        name="label"
        hint="The header x-service-hmac-label names it."
        maxLength={64}
        autoComplete="off"
        fault={faultAt(error, '/label')}
      />
      <SelectField label="The new key takes over" name="activation" options={activations} defaultValue="0" />
      <SelectField label="The old key signs beside it for" name="overlap" options={overlaps} defaultValue="24" />
    </FormDialog>
  )
}
