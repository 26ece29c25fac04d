import { type ComponentProps, useId } from 'react'
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
          id={id}
          inputMode="decimal"
          autoComplete="off"
          pattern="[\d ,]+(\.\d+)?"
          title="An amount such as 1250.00"
          aria-invalid={fault ? true : undefined}
          aria-describedby={described}
          onBlur={(event) => {
            writeInto(event.currentTarget, decimalOf(event.currentTarget.value))
            input.onBlur?.(event)
          }}
        />
        <span className="unit" id={`${id}-currency`}>
          {currency}
        </span>
      </div>
      <FieldNotes id={id} hint={hint} fault={fault} />
    </div>
  )
}

/** `1,250.00` and `1 250.00` as `1250.00`; anything else stays as it is, for the service to say what is wrong. */
function decimalOf(text: string): string {
  const plain = text.trim().replaceAll(/[\s\u00a0]/g, '')
  return /^\d{1,3}(,\d{3})+(\.\d+)?$/.test(plain) ? plain.replaceAll(',', '') : plain
}

/** As if it had been typed, so that a page which holds the text itself learns of it. */
function writeInto(field: HTMLInputElement, text: string): void {
  if (field.value === text) return
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, text)
  field.dispatchEvent(new Event('input', { bubbles: true }))
}
