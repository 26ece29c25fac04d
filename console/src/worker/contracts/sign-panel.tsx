import { useState } from 'react'
import type { Contract } from '#sdk/index.ts'
import { Button } from '../../components/button.tsx'
import { ErrorBanner } from '../../components/error-banner.tsx'
import { TextField } from '../../components/text-field.tsx'
import { apiErrorOf } from '../../lib/api.ts'
import { faultAt, isOfNoField } from '../../lib/faults.ts'
import { stint } from '../../lib/service.ts'
import { textOf, useSubmit } from '../../lib/use-submit.ts'
import { useWorker } from '../worker.ts'
import { RefuseDialog } from './refuse-dialog.tsx'

interface SignPanelProps {
  /** As it is shown on the page: this version is signed and no other. */
  contract: Contract
  onChange(contract: Contract): void
  /** The contract is not any more what the page shows. */
  onStale(): void
}

export const overtaken = ['terms_changed', 'invalid_state', 'already_signed']

/** Yes or no to the terms above. */
export function SignPanel({ contract, onChange, onStale }: SignPanelProps) {
  const { place } = useWorker()
  const [isRefusing, setRefusing] = useState(false)
  const [idempotency_key] = useState(() => crypto.randomUUID())
  const { id: contract_id, terms_version, worker_name, signatures } = contract
  const { submit, isBusy, error } = useSubmit(async (form) => {
    const signer_name = textOf(form, 'signer_name').trim()
    try {
      onChange(await stint.worker.sign_contract({ contract_id, signer_name, terms_version }, { idempotency_key }))
    } catch (thrown) {
      if (overtaken.includes(apiErrorOf(thrown).code)) onStale()
      throw thrown
    }
  })
  const isLast = signatures.client_signed_at !== null
  return (
    <section className="panel" aria-labelledby="sign">
      <h2 id="sign">Sign</h2>
      <form className="stack" onSubmit={submit}>
        {isOfNoField(error, ['/signer_name']) ? <ErrorBanner error={error} /> : null}
        <TextField
          label="Your full name, as your signature"
          name="signer_name"
          autoComplete="name"
          required
          minLength={2}
          maxLength={200}
          placeholder={worker_name}
          hint={`By it you agree to the terms above, version ${terms_version}. ${
            isLast
              ? 'With your signature the contract begins to bind both sides.'
              : `It binds once ${place.organization_name} has signed as well.`
          }`}
          fault={faultAt(error, '/signer_name')}
        />
        <div className="actions">
          <Button type="submit" isBusy={isBusy}>
            Sign the contract
          </Button>
          <Button look="secondary" onClick={() => setRefusing(true)}>
            Reject…
          </Button>
        </div>
      </form>
      {isRefusing ? (
        <RefuseDialog
          title="Reject this contract?"
          action="Reject the contract"
          words={`${place.organization_name} is told, with your reason. It cannot be taken back; they can offer you a new one.`}
          refuse={async (reason, options) =>
            onChange(await stint.worker.reject_contract({ contract_id, reason }, options))
          }
          onClose={() => setRefusing(false)}
        />
      ) : null}
    </section>
  )
}
