import { type ReactNode, useState } from 'react'
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

type Outcome = { state: 'open' } | { state: 'busy'; decision: 'approve' | 'deny' } | { state: 'left'; to: string }

interface ConsentFormProps {
  consent: Consent
  first: Place
  signedInAs: ReactNode
}

export function ConsentForm({ consent, first, signedInAs }: ConsentFormProps) {
  const [place, setPlace] = useState(first)
  const choice = useChoice(place)
  const [outcome, setOutcome] = useState<Outcome>({ state: 'open' })
  const [error, setError] = useState<ApiError | null>(null)
  const left_s = useCountdown(Date.parse(consent.expires_at))

  const press = async (decision: 'approve' | 'deny') => {
    if (outcome.state !== 'open') return
    setOutcome({ state: 'busy', decision })
    setError(null)
    try {
      const to = await decide(consent, { decision, place, ...choice.chosen(decision) })
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
    </Page>
  )
}
