import { useState } from 'react'
import type { Ref } from '#sdk/index.ts'
import { Button } from '../../components/button.tsx'
import { FieldNotes } from '../../components/text-field.tsx'
import { SimplePicker } from '../pickers.tsx'

interface TeamsFieldProps {
  label: string
  teams: readonly Ref[]
  fault?: string | undefined
}

/** The teams of a person: chosen one after the other, each taken off again by its own button. */
export function TeamsField({ label, teams, fault }: TeamsFieldProps) {
  const [chosen, setChosen] = useState(teams)
  return (
    <div className="field">
      <SimplePicker
        // Empty again after each choice.
        key={chosen.map(({ id }) => id).join()}
        of="teams"
        name="team"
        label={label}
        placeholder={chosen.length > 0 ? 'Add another team' : 'Choose a team'}
        onChoose={(team) => {
          if (team && !chosen.some(({ id }) => id === team.id)) setChosen([...chosen, team])
        }}
      />
      {chosen.length > 0 ? (
        <ul className="chips" aria-label="Chosen teams">
          {chosen.map(({ id, name }) => (
            <li key={id}>
              <input type="hidden" name="team_ids" value={id} />
              <bdi>{name}</bdi>
              <Button
                look="link"
                aria-label={`Remove team ${name}`}
                onClick={() => setChosen(chosen.filter((team) => team.id !== id))}
              >
                ×
              </Button>
            </li>
          ))}
        </ul>
      ) : null}
      <FieldNotes id="teams" fault={fault} />
    </div>
  )
}
