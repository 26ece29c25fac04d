import { type SelectHTMLAttributes, useId } from 'react'
import { FieldNotes } from './text-field.tsx'

type SelectFieldProps = SelectHTMLAttributes<HTMLSelectElement> & {
  label: string
  options: readonly { value: string; words: string }[]
  hint?: string | undefined
  fault?: string | undefined
}

export function SelectField({ label, options, hint, fault, ...select }: SelectFieldProps) {
  const id = useId()
  const described = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ')
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select {...select} id={id} aria-invalid={fault ? true : undefined} aria-describedby={described || undefined}>
        {options.map(({ value, words }) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </select>
      <FieldNotes id={id} hint={hint} fault={fault} />
    </div>
  )
}
