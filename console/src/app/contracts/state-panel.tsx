import type { ReactNode } from 'react'
import type { Amendment, Contract } from '#sdk/index.ts'
import { Button } from '../../components/button.tsx'
import { Day } from '../../components/date.tsx'
import { Icon } from '../../components/icon.tsx'
import { Moment } from '../../components/moment.tsx'
import { statusWords } from '../../components/status.tsx'
import { Link } from '../../lib/router.tsx'
import { useMe } from '../me.tsx'
import { isOver, type Step, type StepName, stepsOf } from './steps.ts'
import { terminationWords } from './words.ts'

interface StatePanelProps {
  contract: Contract
  /** The amendment that waits for a signature. */
  open_amendment: Amendment | undefined
  busy: StepName | 'worker_sign' | null
  onStep(step: StepName | 'link' | 'worker_sign'): void
}

/** The state of the contract, whom it waits for, and the next step; below it every other step with why it is not possible. */
export function StatePanel({ contract, open_amendment, busy, onStep }: StatePanelProps) {
  const { can, membership } = useMe()
  const { title, words } = standing(contract)
  const steps = stepsOf(contract, open_amendment !== undefined)
  const offered = can('contracts:write') ? offeredNow(contract, steps, membership.is_sandbox) : []
  return (
    <section className="panel contract-state" aria-labelledby="contract-state">
      <h2 id="contract-state">{title}</h2>
      <p>{words}</p>
      {contract.status === 'pending' ? <Signers contract={contract} /> : null}
      {open_amendment ? <OpenAmendment amendment={open_amendment} contract={contract} /> : null}
      {can('contracts:write') ? (
        <>
          <div className="actions">
            {offered.map(({ name, words, look }) => (
              <Button key={name} look={look} size="small" isBusy={busy === name} onClick={() => onStep(name)}>
                {words}
              </Button>
            ))}
          </div>
          {isOver(contract) ? (
            <p className="hint">Nothing else can be done: the contract is over.</p>
          ) : (
            <OtherSteps
              steps={steps.filter((step) => offered.every(({ name }) => name !== step.name))}
              onStep={onStep}
            />
          )}
        </>
      ) : (
        <p className="hint">You can read this contract. Owners and admins sign, amend and end contracts.</p>
      )}
    </section>
  )
}

/** The state as a sentence. */
function standing(contract: Contract): { title: string; words: ReactNode } {
  const { status, signatures, worker_name, status_reason, ended_at, start_date, last_day, termination } = contract
  const worker = <bdi>{worker_name}</bdi>
  const reason = status_reason ? <> Reason: {status_reason}</> : null
  if (status === 'pending') {
    if (signatures.client_signed_at) {
      return { title: `Waiting for ${worker_name}`, words: <>With the signature of {worker} the contract is active.</> }
    }
    if (signatures.worker_signed_at) {
      return { title: 'Waiting for the company', words: 'With your signature the contract is active.' }
    }
    return { title: 'Waiting for both signatures', words: 'It binds nobody until both have signed, in either order.' }
  }
  if (status === 'active' && termination) {
    return {
      title: 'Active, and ending',
      words: (
        <>
          {terminationWords(termination.type)}: the last day is <Day value={last_day} />.
          {termination.reason ? <> Reason: {termination.reason}</> : null}
        </>
      ),
    }
  }
  if (status === 'active') {
    return {
      title: 'Active',
      words: last_day ? (
        <>
          From <Day value={start_date} /> to <Day value={last_day} />.
        </>
      ) : (
        <>
          From <Day value={start_date} />, without an end.
        </>
      ),
    }
  }
  const ended = (what: string) => (
    <>
      {what} <Moment at={ended_at} />.
      {last_day && status !== 'cancelled' ? (
        <>
          {' '}
          The last day was <Day value={last_day} />.
        </>
      ) : null}
      {reason}
    </>
  )
  if (status === 'terminated') return { title: 'Terminated', words: ended('It ended') }
  if (status === 'completed') return { title: 'Completed', words: ended('Its time was over') }
  if (status === 'rejected') return { title: `Rejected by ${worker_name}`, words: ended('It was rejected') }
  if (status === 'cancelled') return { title: 'Cancelled', words: ended('It was cancelled') }
  return { title: statusWords(status), words: reason }
}

/** Both parties, signed or not. */
function Signers({ contract: { signatures, worker_name, invitation } }: { contract: Contract }) {
  const { client_name, client_signed_at, worker_signed_at } = signatures
  return (
    <ul className="signers">
      <Signer isDone={client_signed_at !== null}>
        The company:{' '}
        {client_signed_at ? (
          <>
            signed by <bdi>{client_name}</bdi>, <Moment at={client_signed_at} />
          </>
        ) : (
          'not signed yet'
        )}
      </Signer>
      <Signer isDone={worker_signed_at !== null}>
        <bdi>{worker_name}</bdi>:{' '}
        {worker_signed_at ? (
          <>
            signed <Moment at={worker_signed_at} />
          </>
        ) : invitation ? (
          <>
            invited <Moment at={invitation.sent_at} />; the link ends <Moment at={invitation.expires_at} />
          </>
        ) : (
          'not invited yet'
        )}
      </Signer>
    </ul>
  )
}

function Signer({ isDone, children }: { isDone: boolean; children: ReactNode }) {
  return (
    <li className={isDone ? 'done' : undefined}>
      <span className="step-mark">{isDone ? <Icon name="done" /> : null}</span>
      <span>{children}</span>
    </li>
  )
}

function OpenAmendment({ amendment, contract }: { amendment: Amendment; contract: Contract }) {
  const waits = amendment.status === 'initial' ? 'for the signature of the company' : `for ${contract.worker_name}`
  return (
    <p>
      An amendment waits {waits}. <Link to={`/contracts/${contract.id}?tab=amendments`}>Read it</Link>
    </p>
  )
}

interface Offer {
  name: StepName | 'link' | 'worker_sign'
  words: string
  look: 'primary' | 'secondary'
}

/** The steps that come next, the most obvious first. */
function offeredNow(contract: Contract, steps: readonly Step[], isSandbox: boolean): Offer[] {
  const { status, signatures, invitation } = contract
  const possible = (name: StepName) => steps.some((step) => step.name === name && step.why === null)
  const offer = (name: Offer['name'], words: string): Offer => ({ name, words, look: 'secondary' })
  const offers: (Offer | false)[] = [
    possible('sign') && offer('sign', 'Sign for the company'),
    possible('invite') && (invitation ? offer('link', 'Show the worker’s link') : offer('invite', 'Invite the worker')),
    isSandbox &&
      status === 'pending' &&
      signatures.worker_signed_at === null &&
      offer('worker_sign', 'Sign as the worker (sandbox)'),
    possible('amend') && offer('amend', 'Amend the terms'),
    possible('cancel_termination') && offer('cancel_termination', 'Withdraw the termination'),
    possible('terminate') && offer('terminate', 'Terminate'),
    possible('archive') && offer('archive', 'Archive'),
    possible('unarchive') && offer('unarchive', 'Take out of the archive'),
    isOver(contract) && offer('edit', 'Edit title, team and tax'),
  ]
  const given = offers.filter((one) => one !== false)
  // One step stands out, where something waits for the company.
  return given.map((one, place) => (place === 0 && status === 'pending' ? { ...one, look: 'primary' as const } : one))
}

function OtherSteps({ steps, onStep }: { steps: readonly Step[]; onStep(step: StepName): void }) {
  return (
    <details className="other-steps">
      <summary>Other steps</summary>
      <ul className="rows whole-words">
        {steps.map(({ name, words, why }) => (
          <li key={name}>
            {why === null ? (
              <Button look="link" onClick={() => onStep(name)}>
                {words}
              </Button>
            ) : (
              <>
                <span className="none">{words}</span>
                <span className="hint">{why}</span>
              </>
            )}
          </li>
        ))}
      </ul>
    </details>
  )
}
