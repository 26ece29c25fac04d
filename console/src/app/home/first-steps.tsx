import type { ReactNode } from 'react'
import { Icon } from '../../components/icon.tsx'
import { Link } from '../../lib/router.tsx'
import { FirstCall } from '../first-call.tsx'
import type { Overview } from './use-overview.ts'

/** From nothing to a first event; each step ticks by itself, wherever it is done. */
export function FirstSteps({ overview: { tokens, webhooks, simulations } }: { overview: Overview }) {
  const [webhook] = webhooks?.data ?? []
  const steps: { words: string; isDone: boolean; how: ReactNode }[] = [
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
  const current = steps.findIndex(({ isDone }) => !isDone)
  return (
    <section className="panel" aria-labelledby="first-steps">
      <h2 id="first-steps">First steps</h2>
      <ol className="steps">
        {steps.map(({ words, isDone, how }, index) => (
          <li key={words} className={isDone ? 'done' : undefined} aria-current={index === current ? 'step' : undefined}>
            <span className="step-mark" aria-hidden="true">
              {isDone ? <Icon name="done" /> : index + 1}
            </span>
            <span className="step-words">
              {words}
              <span className="only-read">{isDone ? ', done' : ', open'}</span>
            </span>
            {isDone ? null : <div className="step-how">{how}</div>}
          </li>
        ))}
      </ol>
    </section>
  )
}
