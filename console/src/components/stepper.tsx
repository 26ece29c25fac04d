import { Icon } from './icon.tsx'

interface StepperProps<Name extends string> {
  steps: readonly { name: Name; words: string }[]
  current: Name
  /** The place of the farthest step that can be gone to. */
  reached: number
  onChoose(name: Name): void
}

/** A way of several steps, the place on it, and the way back to those that are done. */
export function Stepper<Name extends string>({ steps, current, reached, onChoose }: StepperProps<Name>) {
  const at = steps.findIndex(({ name }) => name === current)
  return (
    <nav aria-label="Steps">
      <ol className="stepper">
        {steps.map(({ name, words }, place) => (
          <li key={name} className={place < at ? 'done' : undefined}>
            <button
              type="button"
              disabled={place > reached}
              aria-current={place === at ? 'step' : undefined}
              onClick={() => onChoose(name)}
            >
              <span className="step-mark" aria-hidden="true">
                {place < at ? <Icon name="done" /> : place + 1}
              </span>
              <span className="words">{words}</span>
            </button>
          </li>
        ))}
      </ol>
    </nav>
  )
}
