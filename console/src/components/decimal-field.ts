import type { FocusEvent, KeyboardEvent } from 'react'
import { decimalOf } from '../lib/decimal.ts'

/** For a field of a number: what was typed is shown as it is understood, before it is sent. */
export const decimal_field = {
  inputMode: 'decimal',
  autoComplete: 'off',
  onBlur: ({ currentTarget }: FocusEvent<HTMLInputElement>) => understand(currentTarget),
  onKeyDown: ({ key, currentTarget }: KeyboardEvent<HTMLInputElement>) => {
    if (key === 'Enter') understand(currentTarget)
  },
} as const

/** As if it had been typed, so that a page which holds the text itself learns of it. */
function understand(field: HTMLInputElement): void {
  const text = decimalOf(field.value)
  if (field.value === text) return
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, text)
  field.dispatchEvent(new Event('input', { bubbles: true }))
}
