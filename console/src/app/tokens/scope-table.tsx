import { Emphasised } from '../../components/emphasised.tsx'
import { wordsOf } from '../../lib/format.ts'
import type { Right } from '../../lib/session.ts'

interface ScopeTableProps {
  rights: readonly Right[]
  chosen: ReadonlySet<string>
  fault?: string | undefined
  onChange(chosen: ReadonlySet<string>): void
}

const levels = ['none', 'read', 'write'] as const
type Level = (typeof levels)[number]
const levelWords = { none: 'None', read: 'Read', write: 'Write' } as const

/** One row for each area: nothing, reading, or reading and writing. */
export function ScopeTable({ rights, chosen, fault, onChange }: ScopeTableProps) {
  const areas = [...Map.groupBy(rights, ({ name }) => name.slice(0, name.indexOf(':')))]
  const choose = (area: string, level: Level) => {
    const next = new Set([...chosen].filter((name) => !name.startsWith(`${area}:`)))
    if (level !== 'none') next.add(`${area}:${level}`)
    onChange(next)
  }
  const levelOf = (area: string): Level => levels.findLast((level) => chosen.has(`${area}:${level}`)) ?? 'none'
  return (
    <fieldset id="scopes" tabIndex={-1} aria-describedby={fault ? 'scopes-fault' : undefined}>
      <legend>Scopes</legend>
      <p className="hint">Give what it needs and no more. Writing includes reading.</p>
      {fault ? (
        <p className="fault" id="scopes-fault" role="alert">
          {fault}
        </p>
      ) : null}
      <ul className="choices scopes">
        {areas.map(([area, of_area]) => {
          const words = of_area.find(({ name }) => name === `${area}:${levelOf(area)}`)?.words
          const possible = levels.filter(
            (level) => level === 'none' || of_area.some(({ name }) => name === `${area}:${level}`),
          )
          return (
            <li key={area}>
              <fieldset className="scope">
                <legend>{wordsOf(area)}</legend>
                <span className="segments">
                  {possible.map((level) => (
                    <label key={level}>
                      <input
                        type="radio"
                        name={`scope-${area}`}
                        checked={levelOf(area) === level}
                        onChange={() => choose(area, level)}
                      />
                      <span>{levelWords[level]}</span>
                    </label>
                  ))}
                </span>
              </fieldset>
              <p className="hint">
                <Emphasised text={words ?? of_area[0]?.words ?? ''} />
              </p>
            </li>
          )
        })}
      </ul>
    </fieldset>
  )
}
