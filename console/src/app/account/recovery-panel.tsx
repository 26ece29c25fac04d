import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { SecretOnce } from '../../components/secret-once.tsx'
import { useSubmit } from '../../lib/use-submit.ts'
import { type Account, account as endpoints, lacksFactor } from './account.ts'

export interface PanelProps {
  account: Account
  reload(): void
}

const few = 3

/** Codes for the day on which phone and passkeys are lost. */
export function RecoveryPanel({ account: { recovery_codes_left }, reload }: PanelProps) {
  const [isAsking, setAsking] = useState(false)
  const [codes, setCodes] = useState<string[] | null>(null)
  if (recovery_codes_left === null) return null
  return (
    <section className="panel">
      <header className="panel-head">
        <h2>Recovery codes</h2>
        <Badge tone={recovery_codes_left < few ? 'warning' : 'plain'}>{recovery_codes_left} of 10 left</Badge>
      </header>
      <p>Each signs you in once, with your password, when you have neither app nor passkey at hand.</p>
      <div className="actions">
        <Button look="secondary" size="small" onClick={() => setAsking(true)}>
          Make new codes
        </Button>
      </div>
      {isAsking ? (
        <RenewDialog
          onClose={() => setAsking(false)}
          onMade={(made) => {
            setAsking(false)
            setCodes(made)
          }}
        />
      ) : null}
      {codes ? (
        <RecoveryCodes
          codes={codes}
          onClose={() => {
            setCodes(null)
            reload()
          }}
        />
      ) : null}
    </section>
  )
}

function RenewDialog({ onClose, onMade }: { onClose(): void; onMade(codes: string[]): void }) {
  const { submit, isBusy, error } = useSubmit(async () => onMade((await endpoints.renewRecoveryCodes()).recovery_codes))
  return (
    <FormDialog title="Make new recovery codes?" action="Make new codes" {...{ submit, isBusy, error, onClose }}>
      <p>The ten codes that you have end now, and so do your other sessions.</p>
    </FormDialog>
  )
}

/** The codes, this once. */
export function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose(): void }) {
  return (
    <SecretOnce title="Your recovery codes" secret={codes.join('\n')} what="recovery codes" onClose={onClose}>
      <p>
        Each works once in place of the second factor. Print them, or keep them where you keep your passwords, and not
        on the phone that they are for.
      </p>
    </SecretOnce>
  )
}

/**
 * Shows the codes that come with a first factor. Then the page begins anew, where an organization let nobody in without:
 * now it does.
 */
export function useFirstCodes({ account, reload }: PanelProps) {
  const [codes, setCodes] = useState<string[] | null>(null)
  const done = () => {
    if (lacksFactor(account)) return location.assign('/console')
    setCodes(null)
    reload()
  }
  return {
    show: (made: string[] | null) => (made ? setCodes(made) : done()),
    dialog: codes ? <RecoveryCodes codes={codes} onClose={done} /> : null,
  }
}
