import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Check } from '../../components/choice-list.tsx'
import { TextField } from '../../components/text-field.tsx'
import { countOf, wordsOf } from '../../lib/format.ts'
import type { EventType } from '../../lib/nouns.ts'
import { toggled } from '../toggled.ts'

interface EventPickerProps {
  types: readonly EventType[]
  chosen: ReadonlySet<string>
  fault?: string | undefined
  onChange(chosen: ReadonlySet<string>): void
}

/** Event types by module, to search and to tick; each is written out, so that later types do not slip in. */
export function EventPicker({ types, chosen, fault, onChange }: EventPickerProps) {
  const [search, setSearch] = useState('')
  const words = search.trim().toLowerCase()
  const found = types.filter(({ name, description }) => `${name} ${description}`.toLowerCase().includes(words))
  const modules = [...Map.groupBy(found, ({ module }) => module)]
  const setAll = (of: readonly EventType[], isOn: boolean) =>
    onChange(of.reduce((set, { name }) => toggled(set, name, isOn), chosen))
  return (
    <fieldset id="events" tabIndex={-1} aria-describedby={fault ? 'events-fault' : undefined}>
      <legend>Events · {chosen.size} chosen</legend>
      {fault ? (
        <p className="fault" id="events-fault" role="alert">
          {fault}
        </p>
      ) : null}
      <TextField
        label="Search event types"
        type="search"
        placeholder="e.g. contract or signed"
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
        // Enter looks, and does not send the form around it.
        onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
      />
      <div className="picker">
        {modules.length === 0 ? <p className="hint">No event type fits “{search}”.</p> : null}
        {modules.map(([module, of_module]) => {
          const ticked = of_module.filter(({ name }) => chosen.has(name)).length
          return (
            <details key={module} className="module" open={words !== '' || undefined}>
              <summary>
                {wordsOf(module)}{' '}
                <span className="hint">
                  {ticked > 0 ? `${ticked} of ${of_module.length}` : countOf(of_module.length, 'type')}
                </span>
              </summary>
              <p>
                <Button look="link" onClick={() => setAll(of_module, ticked < of_module.length)}>
                  {ticked < of_module.length ? 'Choose all of these' : 'Choose none of these'}
                </Button>
              </p>
              {of_module.map(({ name, description }) => (
                <Check key={name} checked={chosen.has(name)} onChange={(isOn) => onChange(toggled(chosen, name, isOn))}>
                  <code>{name}</code> <span className="hint">{description}</span>
                </Check>
              ))}
            </details>
          )
        })}
      </div>
    </fieldset>
  )
}
