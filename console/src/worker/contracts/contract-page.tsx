import { useState } from 'react'
import type { Contract } from '#sdk/index.ts'
import { TermsFacts } from '../../app/contracts/terms-facts.tsx'
import { PageTitle } from '../../app/frame.tsx'
import { Banner } from '../../components/banner.tsx'
import { Failed } from '../../components/list.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Status } from '../../components/status.tsx'
import { stint } from '../../lib/service.ts'
import { useAnswer } from '../../lib/use-answer.ts'
import '../../styles/contracts.css'
import { useWorker } from '../worker.ts'
import { Amendments } from './amendments.tsx'
import { ChangedTerms } from './changed-terms.tsx'
import { Parties } from './parties.tsx'
import { SignPanel } from './sign-panel.tsx'
import { Signatures } from './signatures.tsx'
import { isToSign, stateWords } from './state.ts'

/** The page asks again by itself: the other side may sign, or change what is being read. */
const asked_every_ms = 10_000

/** One contract: its terms, and what the worker has to say to them. */
export function ContractPage({ id }: { id: string }) {
  const { value, error, reload, set } = useAnswer(stint.worker.get_contract, { contract_id: id }, asked_every_ms)
  if (!value) {
    const is_absent = error?.status === 404
    return (
      <>
        <PageTitle title={is_absent ? 'There is no such contract' : 'Contract'} back={back} />
        {is_absent ? <p>You see your own contracts only.</p> : null}
        {error && !is_absent ? <Failed error={error} reload={reload} /> : null}
        {error ? null : <Skeleton rows={6} />}
      </>
    )
  }
  return <OneContract key={value.id} contract={value} onChange={set} reload={reload} />
}

const back = { to: '/worker', words: 'Your contracts' }

interface OneContractProps {
  contract: Contract
  onChange(contract: Contract): void
  reload(): void
}

function OneContract({ contract, onChange, reload }: OneContractProps) {
  const { place } = useWorker()
  // The terms as they were when reading began; newer ones are told before they can be signed.
  const [read, setRead] = useState(contract)
  const isOutdated = isToSign(contract) && contract.terms_version !== read.terms_version
  return (
    <>
      <PageTitle
        title={contract.title}
        back={back}
        beside={<Status value={contract.status} />}
        lead={<p role="status">{stateWords(contract, place.organization_name)}</p>}
      />
      {isOutdated ? <ChangedTerms before={read} after={contract} onRead={() => setRead(contract)} /> : null}
      <Amendments contract={contract} onContract={reload} />
      <section className="panel" aria-labelledby="terms">
        <h2 id="terms">Terms</h2>
        <Parties contract={contract} />
        <TermsFacts contract={contract} />
      </section>
      {isToSign(contract) && !isOutdated ? (
        <SignPanel contract={contract} onChange={onChange} onStale={reload} />
      ) : null}
      <Signatures contract={contract} employer={place.organization_name} />
      {contract.termination?.message ? (
        <Banner tone="info" title={`${place.organization_name} says`}>
          <p className="as-written">
            <bdi>{contract.termination.message}</bdi>
          </p>
        </Banner>
      ) : null}
    </>
  )
}
