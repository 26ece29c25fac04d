import { useState } from 'react'
import type { Amendment, Contract } from '#sdk/index.ts'
import { Button } from '../../components/button.tsx'
import { ErrorBanner } from '../../components/error-banner.tsx'
import { Failed } from '../../components/list.tsx'
import { Status } from '../../components/status.tsx'
import { TextField } from '../../components/text-field.tsx'
import { apiErrorOf } from '../../lib/api.ts'
import { faultAt, isOfNoField } from '../../lib/faults.ts'
import { dayOf } from '../../lib/format.ts'
import { stint } from '../../lib/service.ts'
import { useList } from '../../lib/use-answer.ts'
import { textOf, useSubmit } from '../../lib/use-submit.ts'
import { useWorker } from '../worker.ts'
import { RefuseDialog } from './refuse-dialog.tsx'
import { SideBySide } from './side-by-side.tsx'
import { overtaken } from './sign-panel.tsx'

interface AmendmentsProps {
  contract: Contract
  /** The terms of the contract may be others now. */
  onContract(): void
}

/** New terms that were proposed, with what each changes; the one to be signed first. */
export function Amendments({ contract, onContract }: AmendmentsProps) {
  const { rows, error, reload, put } = useList(stint.worker.list_amendments, { contract_id: contract.id })
  if (error) return <Failed error={error} reload={reload} />
  if (!rows || rows.length === 0) return null
  const settle = (amendment: Amendment) => {
    put(amendment)
    reload()
    onContract()
  }
  const sorted = rows.toSorted((a, b) => Number(b.status === 'pending') - Number(a.status === 'pending'))
  return (
    <section className="panel" aria-labelledby="amendments">
      <h2 id="amendments">Changes of the terms</h2>
      {sorted.map((one) => (
        <OneAmendment key={one.id} amendment={one} onSettled={settle} onStale={reload} />
      ))}
    </section>
  )
}

interface OneAmendmentProps {
  amendment: Amendment
  onSettled(amendment: Amendment): void
  onStale(): void
}

function OneAmendment({ amendment, onSettled, onStale }: OneAmendmentProps) {
  const { changes, currency, reason, status } = amendment
  return (
    <article className="amendment">
      <h3>
        {dateWords(amendment)} <Status value={status} />
      </h3>
      {reason ? (
        <p className="as-written">
          <bdi>{reason}</bdi>
        </p>
      ) : null}
      <SideBySide label={dateWords(amendment)} changes={changes} currency={currency} />
      {status === 'declined' && amendment.decline_reason ? (
        <p className="hint">
          Declined: <bdi>{amendment.decline_reason}</bdi>
        </p>
      ) : null}
      {status === 'pending' ? <SignAmendment {...{ amendment, onSettled, onStale }} /> : null}
    </article>
  )
}

const dateWords = ({ effective_date }: Amendment) =>
  effective_date === null ? 'From the day of your signature' : `From ${dayOf(effective_date)}`

function SignAmendment({ amendment, onSettled, onStale }: OneAmendmentProps) {
  const { place } = useWorker()
  const [isRefusing, setRefusing] = useState(false)
  const [idempotency_key] = useState(() => crypto.randomUUID())
  const { id: amendment_id, contract_id, terms_version } = amendment
  const { submit, isBusy, error } = useSubmit(async (form) => {
    const input = { contract_id, amendment_id, terms_version, signer_name: textOf(form, 'signer_name').trim() }
    try {
      onSettled(await stint.worker.sign_amendment(input, { idempotency_key }))
    } catch (thrown) {
      if (overtaken.includes(apiErrorOf(thrown).code)) onStale()
      throw thrown
    }
  })
  return (
    <>
      <form className="stack" onSubmit={submit}>
        {isOfNoField(error, ['/signer_name']) ? <ErrorBanner error={error} /> : null}
        <TextField
          label="Your full name, as your signature"
          name="signer_name"
          autoComplete="name"
          required
          minLength={2}
          maxLength={200}
          hint={`${place.organization_name} has signed. With your signature these terms are agreed; without it the present ones stay.`}
          fault={faultAt(error, '/signer_name')}
        />
        <div className="actions">
          <Button type="submit" isBusy={isBusy}>
            Sign the new terms
          </Button>
          <Button look="secondary" onClick={() => setRefusing(true)}>
            Decline…
          </Button>
        </div>
      </form>
      {isRefusing ? (
        <RefuseDialog
          title="Decline the new terms?"
          action="Decline the new terms"
          words={`The present terms stay. ${place.organization_name} is told, with your reason.`}
          refuse={async (reason, options) =>
            onSettled(await stint.worker.decline_amendment({ contract_id, amendment_id, reason }, options))
          }
          onClose={() => setRefusing(false)}
        />
      ) : null}
    </>
  )
}
