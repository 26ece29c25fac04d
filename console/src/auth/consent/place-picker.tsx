import { Badge } from '../../components/badge.tsx'
import { keyOf, type Place } from './consent.ts'

interface PlacePickerProps {
  places: readonly Place[]
  chosen: Place
  choose(place: Place): void
}

/** One entry per membership and per own worker relation. */
export function PlacePicker({ places, chosen, choose }: PlacePickerProps) {
  return (
    <fieldset>
      <legend>{places.length === 1 ? 'In the organization' : 'In which organization?'}</legend>
      <ul className="choices">
        {places.map((place) => (
          <li key={keyOf(place)}>
            {places.length === 1 ? (
              <p className="choice">
                <PlaceWords place={place} />
              </p>
            ) : (
              <label className="choice">
                <input
                  type="radio"
                  name="organization"
                  value={keyOf(place)}
                  checked={keyOf(place) === keyOf(chosen)}
                  onChange={() => choose(place)}
                />
                <PlaceWords place={place} />
              </label>
            )}
          </li>
        ))}
      </ul>
    </fieldset>
  )
}

function PlaceWords({ place: { name, is_sandbox, as, role } }: { place: Place }) {
  return (
    <span className="choice-words">
      <bdi>{name}</bdi>{' '}
      <span className="badges">
        {is_sandbox ? <Badge tone="sandbox">Sandbox</Badge> : null}
        <Badge>{as === 'worker' ? 'as worker' : `as ${role}`}</Badge>
      </span>
    </span>
  )
}
