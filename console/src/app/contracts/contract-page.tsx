import { useState } from 'react'
import type { Contract } from '#sdk/index.ts'
import { Badge } from '../../components/badge.tsx'
import { ErrorBanner } from '../../components/error-banner.tsx'
import { Failed } from '../../components/list.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Status } from '../../components/status.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { type ApiError, apiErrorOf } from '../../lib/api.ts'
import { goTo, hrefOf, Link, useSearch } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { firstPage, useAnswer } from '../../lib/use-answer.ts'
import '../../styles/contracts.css'
import { PageTitle } from '../frame.tsx'
import { countryName } from '../lookup-field.tsx'
import { ObjectEvents } from '../object-events.tsx'
import { AmendmentsTab } from './amendments-tab.tsx'
import { ContractDialog, type DialogName } from './contract-dialog.tsx'
import { SignaturesTab } from './signatures-tab.tsx'
import { StatePanel } from './state-panel.tsx'
import type { StepName } from './steps.ts'
import { TermsTab } from './terms-tab.tsx'
import { typeWords } from './words.ts'
import { AdjustmentsTab, CyclesTab, TimesheetsTab } from './work-tabs.tsx'

const tabs = [
  { name: 'terms', words: 'Terms' },
  { name: 'signatures', words: 'Signatures' },
  { name: 'amendments', words: 'Amendments' },
  { name: 'timesheets', words: 'Timesheets' },
  { name: 'adjustments', words: 'Adjustments' },
  { name: 'cycles', words: 'Cycles' },
  { name: 'events', words: 'Events' },
] as const

/** The other party signs elsewhere; it is seen here without asking for it. */
const refreshed_every_ms = 5_000
const waiting = ['initial', 'pending'] as const

/** The life of one contract: how it stands and what comes next, then all that is known of it. */
export function ContractPage({ id }: { id: string }) {
  const [search, setSearch] = useSearch()
  const contract_id = id
  const { value: contract, error, reload, set } = useAnswer(stint.contracts.get, { contract_id }, refreshed_every_ms)
  const asked = contract?.status === 'active' ? { contract_id, statuses: waiting } : null
  const amendments = useAnswer(firstPage(stint.amendments.list), asked, refreshed_every_ms)
  const [dialog, setDialog] = useState<{ name: DialogName; contract: Contract } | null>(null)
  const step = useDirectStep(set)
  const tab = tabs.find(({ name }) => name === search.get('tab'))?.name ?? 'terms'
  const back = { to: '/contracts', words: 'Contracts' }
  if (!contract) {
    return (
      <>
        <PageTitle title="Contract" back={back} />
        {error ? <Failed error={error} reload={reload} /> : <Skeleton rows={6} />}
      </>
    )
  }
  const open_amendment = asked ? amendments.value?.data[0] : undefined
  const take = (name: StepName | 'link' | 'worker_sign') => {
    if (name === 'edit' || name === 'amend') goTo(`/contracts/${id}/${name}`)
    else if (name === 'archive' || name === 'unarchive' || name === 'worker_sign') void step.take(name, contract)
    else setDialog({ name, contract })
  }
  const panels = {
    terms: <TermsTab contract={contract} />,
    signatures: <SignaturesTab contract={contract} onStep={take} />,
    amendments: <AmendmentsTab contract={contract} open={open_amendment} />,
    timesheets: <TimesheetsTab contract={contract} />,
    adjustments: <AdjustmentsTab contract={contract} />,
    cycles: <CyclesTab contract={contract} />,
    events: <ObjectEvents id={id} />,
  }
  return (
    <>
      <PageTitle
        title={contract.title}
        back={back}
        beside={
          <>
            <Status value={contract.status} />
            {contract.is_archived ? <Badge>Archived</Badge> : null}
          </>
        }
        lead={
          <p>
            <Link to={`/people/${contract.worker_id}`}>
              <bdi>{contract.worker_name}</bdi>
            </Link>{' '}
            · {typeWords(contract.type)} · {countryName(contract.country)}
          </p>
        }
      />
      {error ? <Failed error={error} reload={reload} /> : null}
      {step.error ? <ErrorBanner error={step.error} /> : null}
      <StatePanel {...{ contract, open_amendment, busy: step.busy, onStep: take }} />
      <Tabs
        label="Views of the contract"
        tabs={tabs}
        current={tab}
        hrefOf={(name) => hrefOf(`/contracts/${id}?tab=${name}`)}
        onChoose={(name) => setSearch({ tab: name === 'terms' ? null : name, statuses: null, sign_statuses: null })}
      />
      {panels[tab]}
      {dialog ? <ContractDialog {...dialog} onChange={set} onClose={() => setDialog(null)} /> : null}
    </>
  )
}

type DirectStep = 'archive' | 'unarchive' | 'worker_sign'

/** Steps that need no question, since they can be taken back or bind nobody. */
function useDirectStep(set: (contract: Contract) => void) {
  const [busy, setBusy] = useState<DirectStep | null>(null)
  const [error, setError] = useState<ApiError | null>(null)
  const take = async (name: DirectStep, { id: contract_id, terms_version }: Contract) => {
    setBusy(name)
    setError(null)
    try {
      if (name === 'archive') set(await stint.contracts.archive({ contract_id }))
      else if (name === 'unarchive') set(await stint.contracts.unarchive({ contract_id }))
      else set(await stint.sandbox.sign_contract({ contract_id, terms_version }))
    } catch (thrown) {
      setError(apiErrorOf(thrown))
    } finally {
      setBusy(null)
    }
  }
  return { busy, error, take }
}
