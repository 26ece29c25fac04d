import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { AppCodeField } from '../../components/code-field.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { ErrorBanner } from '../../components/error-banner.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Time } from '../../components/time.tsx'
import { usePress } from '../../lib/use-press.ts'
import { textOf, useSubmit } from '../../lib/use-submit.ts'
import { account as endpoints, type TotpOffer } from './account.ts'
import { QrCode } from './qr-code.tsx'
import { type PanelProps, useFirstCodes } from './recovery-panel.tsx'

/** An app that shows a new code every 30 seconds. */
export function TotpPanel(props: PanelProps) {
  const {
    account: { totp_since },
    reload,
  } = props
  const [offer, setOffer] = useState<TotpOffer | null>(null)
  const [isRemoving, setRemoving] = useState(false)
  const start = usePress(async () => setOffer(await endpoints.offerTotp()))
  const first = useFirstCodes(props)
  return (
    <section className="panel">
      <header className="panel-head">
        <h2>Authenticator app</h2>
        {totp_since ? <Badge tone="good">On</Badge> : <Badge>Off</Badge>}
      </header>
      <p>
        {totp_since ? (
          <>
            Set up <Time at={totp_since} />. Its code is asked for after your password.
          </>
        ) : (
          'Any app that shows six digits every 30 seconds, such as the one of your password manager. Its code is asked for after your password.'
        )}
      </p>
      {start.error ? <ErrorBanner error={start.error} /> : null}
      <div className="actions">
        <Button look="secondary" size="small" isBusy={start.isBusy} onClick={start.press}>
          {totp_since ? 'Use another app' : 'Set up an app'}
        </Button>
        {totp_since ? (
          <Button look="secondary" size="small" onClick={() => setRemoving(true)}>
            Remove<span className="only-read"> the authenticator app</span>
          </Button>
        ) : null}
      </div>
      {offer ? (
        <SetUpDialog
          offer={offer}
          onClose={() => setOffer(null)}
          onDone={(codes) => {
            setOffer(null)
            first.show(codes)
          }}
        />
      ) : null}
      {isRemoving ? (
        <ConfirmDialog
          title="Remove the authenticator app?"
          action="Remove"
          onClose={() => setRemoving(false)}
          onConfirm={async () => {
            await endpoints.removeTotp()
            reload()
          }}
        >
          <p>Its codes sign you in no more. Your other sessions end.</p>
        </ConfirmDialog>
      ) : null}
      {first.dialog}
    </section>
  )
}

interface SetUpDialogProps {
  offer: TotpOffer
  onClose(): void
  onDone(codes: string[] | null): void
}

function SetUpDialog({ offer: { secret, uri, offer }, onClose, onDone }: SetUpDialogProps) {
  const { submit, isBusy, error } = useSubmit(async (form) => {
    onDone((await endpoints.setUpTotp(offer, textOf(form, 'code'))).recovery_codes)
  })
  const fault = error?.fields.find(({ pointer }) => pointer === '/code')?.message
  return (
    <FormDialog
      title="Set up an authenticator app"
      action="Turn on"
      error={fault ? null : error}
      {...{ submit, isBusy, onClose }}
    >
      <p>Scan this with the app. It holds for ten minutes.</p>
      <QrCode text={uri} label="QR code with the key for your app" />
      <p className="hint">Cannot scan it? Type this key into the app:</p>
      <div className="key">
        <code>{secret.replaceAll(/(.{4})(?=.)/g, '$1 ')}</code>
        <CopyButton text={secret} what="key for the app" />
      </div>
      <AppCodeField hint="The six digits that the app shows now." fault={fault && `It ${fault}.`} />
    </FormDialog>
  )
}
