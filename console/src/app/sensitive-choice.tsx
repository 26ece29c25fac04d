import { Check } from '../components/choice-list.tsx'
import { useMe } from './me.tsx'
import { toggled } from './toggled.ts'

interface SensitiveChoiceProps {
  legend: string
  /** Tells what it means that a category is off. */
  hint: string
  chosen: ReadonlySet<string>
  onChange(chosen: ReadonlySet<string>): void
}

/** The categories that the own role sees, and so may give; all off unless somebody chooses. */
export function SensitiveChoice({ legend, hint, chosen, onChange }: SensitiveChoiceProps) {
  const { role, sensitive_data } = useMe().membership
  return (
    <fieldset>
      <legend>{legend}</legend>
      <p className="hint">
        {sensitive_data.length > 0 ? hint : `Your role, ${role}, sees no sensitive data and gives none.`}
      </p>
      {sensitive_data.map(({ name, words }) => (
        <Check key={name} checked={chosen.has(name)} onChange={(isOn) => onChange(toggled(chosen, name, isOn))}>
          <span>{words}</span> <code>{name}</code>
        </Check>
      ))}
    </fieldset>
  )
}
