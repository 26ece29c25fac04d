import { type ComponentProps, useId } from 'react'
import { decimal_field } from './decimal-field.ts'
import { FieldNotes, type TextField } from './text-field.tsx'

type MoneyFieldProps = Omit<ComponentProps<typeof TextField>, 'type'> & {
  /** Shown behind the amount; absent while it is still to be chosen. */
  currency?: string | undefined
}

/** An amount as a decimal text. What is pasted with groups is written without them, as the API takes it. */
export function MoneyField({ label, hint, fault, currency, ...input }: MoneyFieldProps) {
  const id = useId()
  const described = [`${id}-currency`, hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ')
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div className="with-unit">
        <input
          {...input}
          {...decimal_field}
          id={id}
          aria-invalid={fault ? true : undefined}
          aria-describedby={described}
        />
        <span className="unit" id={`${id}-currency`}>
          {currency}
        </span>
      </div>
      <FieldNotes id={id} hint={hint} fault={fault} />
    </div>
  )
}
