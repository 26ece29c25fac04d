import { type ReactNode, useId } from 'react'
import { Icon } from '../../components/icon.tsx'

export interface HomeStep {
  words: string
  isDone: boolean
  /** The way to it, while it is open. */
  how: ReactNode
}

/** A way from nothing to a first success; each step ticks by itself, wherever it is done. */
export function Steps({ title, lead, steps }: { title: string; lead: string; steps: readonly HomeStep[] }) {
  const id = useId()
  const current = steps.findIndex(({ isDone }) => !isDone)
  return (
    <section className="panel" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <p className="hint">{lead}</p>
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
