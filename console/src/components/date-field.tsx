import type { ComponentProps } from 'react'
import { TextField } from './text-field.tsx'

/** A date of business; the browser's own calendar writes it as the API does, `2026-11-01`. */
export function DateField(props: Omit<ComponentProps<typeof TextField>, 'type'>) {
  return <TextField {...props} type="date" />
}
