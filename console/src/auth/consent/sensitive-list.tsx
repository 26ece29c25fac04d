import type { Place } from './consent.ts'
import type { Choice } from './use-choice.ts'

/** All off: without a tick these fields are empty in whatever the client reads. */
export function SensitiveList({ place, choice }: { place: Place; choice: Choice }) {
  if (place.sensitive_data.length === 0) return null
  return (
    <fieldset>
      <legend>And see sensitive data?</legend>
      <p className="hint">Without a tick these fields stay empty in all it reads.</p>
      <ul className="choices">
        {place.sensitive_data.map(({ name, words }) => (
          <li key={name}>
            <label className="choice">
              <input
                type="checkbox"
                checked={choice.sensitive_data.has(name)}
                onChange={() => choice.toggleSensitive(name)}
              />
              <span className="choice-words">{words}</span>
            </label>
          </li>
        ))}
      </ul>
    </fieldset>
  )
}
