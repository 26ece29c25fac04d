import { type TextareaHTMLAttributes, useId } from 'react'
import { FieldNotes } from './text-field.tsx'

type TextAreaProps = TextareaHTMLAttributes<HTMLTextAreaElement> & {
  label: string
  hint?: string | undefined
  fault?: string | undefined
}

/** Words of several lines. */
export function TextArea({ label, hint, fault, rows = 3, ...area }: TextAreaProps) {
  const id = useId()
  const described = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ')
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        {...area}
        id={id}
        rows={rows}
        aria-invalid={fault ? true : undefined}
        aria-describedby={described || undefined}
      />
      <FieldNotes id={id} hint={hint} fault={fault} />
    </div>
  )
}
