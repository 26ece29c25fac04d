import { lazy, Suspense } from 'react'

/** One of many: its id, and what a person knows it by. */
export interface Choice {
  id: string
  name: string
  /** Beside the name, where several have the same one. */
  hint?: string | undefined
}

export interface ComboboxProps {
  /** In the form, with the id of what was chosen. */
  name: string
  label: string
  hint?: string | undefined
  fault?: string | undefined
  required?: boolean
  disabled?: boolean
  placeholder?: string
  defaultValue?: Choice | null
  /** Entries that fit the typed text; nothing typed asks for the first ones. */
  find(search: string): Promise<readonly Choice[]>
  onChoose?(choice: Choice | null): void
}

const Parts = lazy(async () => ({ default: (await import('./combobox-parts.tsx')).ComboboxParts }))

/** A field that looks while one types. Its code is loaded with its first use. */
export function Combobox(props: ComboboxProps) {
  return (
    <Suspense
      fallback={
        <div className="field" aria-busy="true">
          <span className="as-label">{props.label}</span>
          <input disabled aria-label={props.label} />
        </div>
      }
    >
      <Parts {...props} />
    </Suspense>
  )
}
