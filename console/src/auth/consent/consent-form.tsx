import { lazy, type ReactNode, Suspense, useState } from 'react'
import { useProof } from '../../app/use-proof.ts'
import { ErrorBanner } from '../../components/error-banner.tsx'
import { Page } from '../../components/page.tsx'
import { type ApiError, apiErrorOf } from '../../lib/api.ts'
import { signInPath } from '../../lib/session.ts'
import { useCountdown } from '../../lib/use-countdown.ts'
import { ClientBlock } from './client-block.tsx'
import { type Consent, decide, keyOf, type Place } from './consent.ts'
import { RequestOverPage } from './dead-ends.tsx'
import { DecisionButtons } from './decision-buttons.tsx'
import { LeavingPage } from './leaving-page.tsx'
import { PlacePicker } from './place-picker.tsx'
import { ScopeList } from './scope-list.tsx'
import { SensitiveList } from './sensitive-list.tsx'
import { useChoice } from './use-choice.ts'

/** Loaded when somebody has to prove once more who it is. */
const ProofDialog = lazy(async () => ({ default: (await import('../../app/proof-dialog.tsx')).ProofDialog }))

type Outcome = { state: 'open' } | { state: 'busy'; decision: 'approve' | 'deny' } | { state: 'left'; to: string }

interface ConsentFormProps {
  consent: Consent
  first: Place
  email: string
  signedInAs: ReactNode
}

export function ConsentForm({ consent, first, email, signedInAs }: ConsentFormProps) {
  const [place, setPlace] = useState(first)
  const choice = useChoice(place)
  const [outcome, setOutcome] = useState<Outcome>({ state: 'open' })
  const [error, setError] = useState<ApiError | null>(null)
  const { wish, prove } = useProof()
  const left_s = useCountdown(Date.parse(consent.expires_at))

  const press = async (decision: 'approve' | 'deny') => {
    if (outcome.state !== 'open') return
    setOutcome({ state: 'busy', decision })
    setError(null)
    try {
      const chosen = { decision, place, ...choice.chosen(decision) }
      const to = await decide(consent, chosen).catch(async (thrown) => {
        const isOld = apiErrorOf(thrown).code === 'reauthentication_required'
        if (!isOld || !(await prove('old_proof'))) throw thrown
        return decide(consent, chosen)
      })
      setOutcome({ state: 'left', to })
      location.assign(to)
    } catch (thrown) {
      const refused = apiErrorOf(thrown)
      if (refused.status === 401) location.replace(signInPath(location.pathname))
      setError(refused)
      setOutcome({ state: 'open' })
    }
  }

  if (outcome.state === 'left') return <LeavingPage to={outcome.to} consent={consent} />
  if (error?.status === 404 || left_s === 0) return <RequestOverPage why={error ? 'unknown' : 'expired'} />
  if (error?.status === 409) return <RequestOverPage why="decided" />
  return (
    <Page title="Allow access?" aside={signedInAs}>
      <ClientBlock consent={consent} place={place} />
      <PlacePicker places={consent.organizations} chosen={place} choose={setPlace} />
      <ScopeList key={`scopes ${keyOf(place)}`} place={place} choice={choice} />
      <SensitiveList key={`sensitive ${keyOf(place)}`} place={place} choice={choice} />
      <DecisionButtons
        busy={outcome.state === 'busy' ? outcome.decision : null}
        canAllow={choice.scopes.size > 0}
        trouble={error ? <ErrorBanner error={error} /> : null}
        press={press}
      />
      <Suspense>{wish ? <ProofDialog email={email} {...wish} /> : null}</Suspense>
    </Page>
  )
}
