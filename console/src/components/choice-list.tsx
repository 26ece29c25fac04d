import type { ReactNode } from 'react'

interface CheckProps {
  checked: boolean
  onChange(checked: boolean): void
  children: ReactNode
  disabled?: boolean
}

/** A box to tick with its words, which can be pressed as well. */
export function Check({ checked, onChange, children, disabled = false }: CheckProps) {
  return (
    <label className="choice">
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <span className="choice-words">{children}</span>
    </label>
  )
}

interface RadiosProps<Value extends string> {
  name: string
  legend: string
  value: Value
  options: readonly { value: NoInfer<Value>; words: string; hint?: string }[]
  onChange(value: NoInfer<Value>): void
  /** Beside each other, for short words. */
  isRow?: boolean
}

export function Radios<Value extends string>({ name, legend, value, options, onChange, isRow }: RadiosProps<Value>) {
  return (
    <fieldset className={isRow ? 'radios row' : 'radios'}>
      <legend>{legend}</legend>
      {options.map((option) => (
        <label key={option.value} className="choice">
          <input type="radio" name={name} checked={option.value === value} onChange={() => onChange(option.value)} />
          <span className="choice-words">
            <span>{option.words}</span>
            {option.hint ? <span className="hint">{option.hint}</span> : null}
          </span>
        </label>
      ))}
    </fieldset>
  )
}
