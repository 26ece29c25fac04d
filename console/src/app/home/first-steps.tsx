import { Link } from '../../lib/router.tsx'
import { FirstCall } from '../first-call.tsx'
import { type HomeStep, Steps } from './steps.tsx'
import type { Overview } from './use-overview.ts'

/** The way of a program. */
export function FirstSteps({ overview: { tokens, webhooks, simulations } }: { overview: Overview }) {
  const [webhook] = webhooks?.data ?? []
  const steps: HomeStep[] = [
    {
      words: 'Create an API token',
      isDone: (tokens?.total_count ?? 0) > 0,
      how: <Link to="/tokens/new">Create a token</Link>,
    },
    {
      words: 'Make a first call with it',
      isDone: tokens?.data.some(({ last_used_at }) => last_used_at !== null) ?? false,
      how: <FirstCall />,
    },
    {
      words: 'Subscribe a receiver to events',
      isDone: webhook !== undefined,
      how: <Link to="/webhooks/new">Create a webhook</Link>,
    },
    {
      words: 'Simulate an event and see it arrive',
      isDone: (simulations?.total_count ?? 0) > 0,
      how: webhook ? <Link to={`/webhooks/${webhook.id}?tab=events`}>Simulate an event</Link> : 'Needs a webhook.',
    },
  ]
  return <Steps title="Your first event" lead="Connects a program of yours." steps={steps} />
}
