import { useEffect, useRef, useState } from 'react'
import type { Amendment, Contract } from '#sdk/index.ts'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Day } from '../../components/date.tsx'
import { ErrorBanner } from '../../components/error-banner.tsx'
import { Filters, SeveralFilter, useFilters } from '../../components/filters.tsx'
import { Failed } from '../../components/list.tsx'
import { Moment } from '../../components/moment.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { type ApiError, apiErrorOf } from '../../lib/api.ts'
import { countOf } from '../../lib/format.ts'
import { entryOf } from '../../lib/nouns.ts'
import { goTo, Link } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { useList } from '../../lib/use-answer.ts'
import { useMe } from '../me.tsx'
import { Changes } from './changes.tsx'
import { SignDialog } from './sign-dialog.tsx'
import { StepDialog } from './step-dialog.tsx'

const statuses = ['initial', 'pending', 'approved', 'active', 'outdated', 'declined'] as const
const sign_statuses = ['pending', 'waiting_for_approval', 'approved', 'declined'] as const

const status_words: Readonly<Record<string, { words: string; tone: 'plain' | 'good' | 'warning' | 'danger' }>> = {
  initial: { words: 'Draft', tone: 'plain' },
  pending: { words: 'Waits for the worker', tone: 'warning' },
  approved: { words: 'Agreed, not in force yet', tone: 'good' },
  active: { words: 'In force', tone: 'good' },
  outdated: { words: 'Replaced', tone: 'plain' },
  declined: { words: 'Declined', tone: 'danger' },
}
const sign_words: Readonly<Record<string, string>> = {
  pending: 'Nobody yet',
  waiting_for_approval: 'The company',
  approved: 'Both',
  declined: 'Declined',
}

interface AmendmentsTabProps {
  contract: Contract
  /** The one that waits for a signature, as it is now. */
  open: Amendment | undefined
}

/** Every change of the terms, the newest first, each with the old and the new side by side. */
export function AmendmentsTab({ contract, open }: AmendmentsTabProps) {
  const { can } = useMe()
  const { several, clear, count } = useFilters(['statuses', 'sign_statuses'])
  const { id: contract_id, status, updated_at } = contract
  const list = useList(stint.amendments.list, {
    contract_id,
    statuses: several('statuses', statuses),
    sign_statuses: several('sign_statuses', sign_statuses),
  })
  const { reload, rows, error, total } = list
  // Steps that another person takes are seen here too.
  const pulse = `${updated_at} ${open?.updated_at}`
  const seen = useRef(pulse)
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is asked again when one of them has moved
  useEffect(() => {
    if (seen.current !== pulse) reload()
    seen.current = pulse
  }, [pulse])
  const mayAmend = can('contracts:write') && status === 'active' && !open
  return (
    <>
      <Filters count={count}>
        <SeveralFilter
          name="statuses"
          label="Status"
          options={statuses.map((value) => ({ value, words: status_words[value]?.words ?? value }))}
        />
        <SeveralFilter
          name="sign_statuses"
          label="Signed by"
          options={sign_statuses.map((value) => ({ value, words: sign_words[value] ?? value }))}
        />
      </Filters>
      {error ? <Failed error={error} reload={reload} /> : null}
      {!rows && !error ? <Skeleton rows={4} /> : null}
      {rows?.length === 0 ? (
        <div className="empty">
          {clear ? (
            <>
              <p>Nothing fits these filters.</p>
              <Button look="secondary" onClick={clear}>
                Clear filters
              </Button>
            </>
          ) : (
            <>
              <h2>No amendment yet</h2>
              <p>
                {status === 'pending'
                  ? 'Once both have signed, the terms change by amendments only, which both sign.'
                  : 'An amendment changes the terms of the contract once both have signed it.'}
              </p>
              {mayAmend ? (
                <p>
                  <Link className="button primary" to={`/contracts/${contract_id}/amend`}>
                    Amend the terms
                  </Link>
                </p>
              ) : null}
            </>
          )}
        </div>
      ) : null}
      {rows && rows.length > 0 ? (
        <>
          <ul className="amendments">
            {rows.map((amendment) => (
              <li key={amendment.id}>
                <OneAmendment amendment={amendment} contract={contract} />
              </li>
            ))}
          </ul>
          <div className="list-foot">
            <span role="status">
              {rows.length < total ? `${rows.length} of ${countOf(total, 'amendment')}` : countOf(total, 'amendment')}
            </span>
            {list.has_more ? (
              <Button look="secondary" size="small" onClick={list.more}>
                Load more
              </Button>
            ) : null}
          </div>
        </>
      ) : null}
    </>
  )
}

interface OneProps {
  amendment: Amendment
  contract: Contract
}

function OneAmendment({ amendment, contract }: OneProps) {
  const { id, status, effective_date, reason, created_by, created_at, decline_reason } = amendment
  const { client_signed_at, worker_signed_at, activated_at, declined_at } = amendment
  const { words, tone } = entryOf(status_words, status, { words: status, tone: 'plain' as const })
  return (
    <article className="panel" aria-labelledby={`amendment-${id}`}>
      <header className="panel-head">
        <h2 id={`amendment-${id}`}>
          {effective_date ? (
            <>
              From <Day value={effective_date} />
            </>
          ) : (
            'From the second signature'
          )}
        </h2>
        <Badge tone={tone}>{words}</Badge>
      </header>
      {reason ? (
        <p className="as-written">
          <bdi>{reason}</bdi>
        </p>
      ) : null}
      <Changes amendment={amendment} contract={contract} />
      <p className="hint">
        Drafted <Moment at={created_at} /> by <bdi>{created_by.name}</bdi>
        <Step words="signed by the company" at={client_signed_at} />
        <Step words={`signed by ${contract.worker_name}`} at={worker_signed_at} />
        <Step words="in force since" at={activated_at} />
        <Step words="declined" at={declined_at} />
        {decline_reason ? <>: {decline_reason === 'contract_ended' ? 'the contract ended' : decline_reason}</> : null}.
      </p>
      <AmendmentSteps amendment={amendment} contract={contract} />
    </article>
  )
}

function Step({ words, at }: { words: string; at: string | null }) {
  return at ? (
    <>
      {' '}
      · {words} <Moment at={at} />
    </>
  ) : null
}

/** The steps of an open amendment. */
function AmendmentSteps({ amendment, contract }: OneProps) {
  const { can, membership } = useMe()
  const [open, setOpen] = useState<{ name: 'sign' | 'withdraw'; amendment: Amendment } | null>(null)
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<ApiError | null>(null)
  const { id: amendment_id, contract_id, status } = amendment
  const isOpen = status === 'initial' || status === 'pending'
  if (!can('contracts:write')) return null
  const close = () => setOpen(null)
  const signAsWorker = async () => {
    setBusy(true)
    setError(null)
    try {
      const { terms_version } = amendment
      await stint.sandbox.sign_amendment({ contract_id, amendment_id, terms_version })
    } catch (thrown) {
      setError(apiErrorOf(thrown))
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      {error ? <ErrorBanner error={error} /> : null}
      {isOpen ? (
        <div className="actions">
          {status === 'initial' ? (
            <>
              <Button size="small" onClick={() => setOpen({ name: 'sign', amendment })}>
                Sign for the company
              </Button>
              <Button
                look="secondary"
                size="small"
                onClick={() => goTo(`/contracts/${contract_id}/amend?amendment=${amendment_id}`)}
              >
                Change the draft
              </Button>
            </>
          ) : membership.is_sandbox ? (
            <Button look="secondary" size="small" isBusy={isBusy} onClick={signAsWorker}>
              Sign as the worker (sandbox)
            </Button>
          ) : null}
          <Button look="secondary" size="small" onClick={() => setOpen({ name: 'withdraw', amendment })}>
            Withdraw
          </Button>
        </div>
      ) : null}
      {open?.name === 'sign' ? (
        <SignDialog
          title="Sign the amendment"
          consequence={`It takes effect once ${contract.worker_name} has signed too.`}
          sign={async (signer_name, keyed) => {
            const { terms_version } = open.amendment
            await stint.amendments.sign({ contract_id, amendment_id, signer_name, terms_version }, keyed)
            close()
          }}
          onClose={close}
        >
          <p>
            Of <bdi>{contract.title}</bdi>, from{' '}
            {open.amendment.effective_date ? <Day value={open.amendment.effective_date} /> : 'the second signature'} on:
          </p>
          <Changes amendment={open.amendment} contract={contract} />
        </SignDialog>
      ) : null}
      {open?.name === 'withdraw' ? (
        <StepDialog
          title="Withdraw the amendment?"
          action="Withdraw it"
          look="danger"
          take={async (_, keyed) => {
            await stint.amendments.withdraw({ contract_id, amendment_id }, keyed)
            close()
          }}
          onClose={close}
        >
          <p>The terms stay as they are. A new amendment can be drafted afterwards.</p>
        </StepDialog>
      ) : null}
    </>
  )
}
