import { useState } from 'react'
import { Banner } from '../../components/banner.tsx'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { hostOf } from '../../lib/format.ts'
import type { Webhook } from '../../lib/nouns.ts'
import { goTo } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { useMe } from '../me.tsx'
import { WebhookForm } from './webhook-form.tsx'

export function SettingsTab({ webhook, onChange }: { webhook: Webhook; onChange(webhook: Webhook): void }) {
  const { can } = useMe()
  const [open, setOpen] = useState<'pause' | 'delete' | null>(null)
  const [isSaved, setSaved] = useState(false)
  const webhook_id = webhook.id
  if (!can('webhooks:write')) {
    return <p>Owners, admins and developers change webhooks. It sends {webhook.events.join(', ')}.</p>
  }
  return (
    <section aria-label="Settings">
      <div role="status">{isSaved ? <Banner tone="info" title="Saved." /> : null}</div>
      <WebhookForm
        webhook={webhook}
        action="Save changes"
        onSubmit={async (body) => {
          setSaved(false)
          onChange(await stint.webhooks.update({ webhook_id, ...body }))
          setSaved(true)
        }}
      />
      <div className="danger-zone">
        {webhook.status === 'active' ? (
          <div>
            <h2>Pause</h2>
            <p>Events are held until it is enabled again, and nothing is lost for about 30 days.</p>
            <Button look="secondary" onClick={() => setOpen('pause')}>
              Pause webhook
            </Button>
          </div>
        ) : null}
        <div>
          <h2>Delete</h2>
          <p>What waits is cancelled and the signing keys are destroyed. The list of deliveries stays readable.</p>
          <Button look="danger" onClick={() => setOpen('delete')}>
            Delete webhook
          </Button>
        </div>
      </div>
      {open === 'pause' ? (
        <ConfirmDialog
          title="Pause this webhook?"
          action="Pause webhook"
          onClose={() => setOpen(null)}
          onConfirm={async () => onChange(await stint.webhooks.update({ webhook_id, status: 'disabled' }))}
        >
          <p>
            <bdi>{hostOf(webhook.url)}</bdi> gets nothing until somebody re-enables it.
          </p>
        </ConfirmDialog>
      ) : null}
      {open === 'delete' ? (
        <ConfirmDialog
          title="Delete this webhook?"
          action="Delete webhook"
          typed={hostOf(webhook.url)}
          onClose={() => setOpen(null)}
          onConfirm={async () => {
            await stint.webhooks.delete({ webhook_id })
            goTo('/webhooks')
          }}
        >
          <p>It cannot be taken back.</p>
        </ConfirmDialog>
      ) : null}
    </section>
  )
}
