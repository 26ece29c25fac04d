import { useState } from 'react'
import type { Payment } from '#sdk/index.ts'
import { Banner } from '../../components/banner.tsx'
import { Button } from '../../components/button.tsx'
import { useMe } from '../me.tsx'
import { NoAccount, releasedWords } from './no-account.tsx'
import { PayDialog } from './pay-dialog.tsx'
import { ApproveDialog, FailDialog, SettleDialog, WithdrawDialog } from './step-dialogs.tsx'

interface NextStepProps {
  payment: Payment
  onChange(payment: Payment): void
}

/** The next step of a payment, or the reason why nobody can take one. */
export function NextStep(props: NextStepProps) {
  const { can } = useMe()
  const { status } = props.payment
  if (status === 'failed') return <Failed {...props} />
  if (!can('accounting:write')) return null
  if (status === 'pending_approval') return <Approval {...props} />
  if (status === 'processing') return <Settlement {...props} />
  return null
}

function Approval({ payment, onChange }: NextStepProps) {
  const { session } = useMe()
  const [open, setOpen] = useState<'approve' | 'withdraw' | null>(null)
  const { kind, id } = payment.created_by
  const isMaker = kind === 'user' && id === session.user_id
  const close = () => setOpen(null)
  return (
    <Banner tone="warning" title={isMaker ? 'Waits for a second person' : 'Waits for your approval'}>
      <p id="approval">
        {isMaker
          ? 'You made this payment, so somebody else has to approve it: an owner, or a member with the role finance.'
          : `${releasedWords(payment)} It cannot be withdrawn then.`}
      </p>
      <NoAccount payment={payment} />
      <p className="actions">
        <Button disabled={isMaker} aria-describedby="approval" onClick={() => setOpen('approve')}>
          Approve…
        </Button>
        <Button look="secondary" onClick={() => setOpen('withdraw')}>
          Withdraw…
        </Button>
      </p>
      {open === 'approve' ? <ApproveDialog {...{ payment, onChange }} onClose={close} /> : null}
      {open === 'withdraw' ? <WithdrawDialog {...{ payment, onChange }} onClose={close} /> : null}
    </Banner>
  )
}

function Settlement({ payment, onChange }: NextStepProps) {
  const { membership } = useMe()
  const [open, setOpen] = useState<'settle' | 'fail' | null>(null)
  const close = () => setOpen(null)
  const isManual = payment.provider === 'manual'
  if (!isManual && !membership.is_sandbox) {
    return (
      <Banner tone="info" title="On its way">
        <p>
          The provider <bdi>{payment.provider}</bdi> tells how it ends, and that is shown here by itself. It cannot be
          settled or failed by hand.
        </p>
      </Banner>
    )
  }
  return (
    <Banner tone="info" title={isManual ? 'To be paid by you' : 'On its way'}>
      <p>
        {isManual
          ? 'Stint moves no money here. Pay it through your bank, to the accounts below, then record how it ended.'
          : 'In a sandbox you say yourself how it ends.'}
      </p>
      <NoAccount payment={payment} />
      <p className="actions">
        <Button onClick={() => setOpen('settle')}>Record settlement…</Button>
        <Button look="secondary" onClick={() => setOpen('fail')}>
          Record failure…
        </Button>
      </p>
      {open === 'settle' ? <SettleDialog {...{ payment, onChange }} onClose={close} /> : null}
      {open === 'fail' ? <FailDialog {...{ payment, onChange }} onClose={close} /> : null}
    </Banner>
  )
}

/** Its invoices are pending again; where another payment has taken them since, the service says so. */
function Failed({ payment: { failure_reason, invoices } }: NextStepProps) {
  const { can } = useMe()
  const [isPaying, setPaying] = useState(false)
  return (
    <Banner tone="error" title="This payment did not arrive">
      <p>
        <bdi>{failure_reason}</bdi>
      </p>
      <p>Its invoices are pending again. Put right what is wrong, such as the bank account, then pay them anew.</p>
      {can('accounting:write') ? (
        <p className="actions">
          <Button onClick={() => setPaying(true)}>Pay again…</Button>
        </p>
      ) : null}
      {isPaying ? (
        <PayDialog invoice_ids={invoices.map(({ invoice_id }) => invoice_id)} onClose={() => setPaying(false)} />
      ) : null}
    </Banner>
  )
}
