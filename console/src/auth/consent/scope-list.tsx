import { Badge } from '../../components/badge.tsx'
import { Emphasised } from '../../components/emphasised.tsx'
import type { Place, ScopeChoice } from './consent.ts'
import type { Choice } from './use-choice.ts'

/** One entry for each area: what may be seen there, and within it what writing adds. */
export function ScopeList({ place, choice }: { place: Place; choice: Choice }) {
  const possible = place.scopes.filter(({ state }) => state !== 'struck_out')
  const impossible = place.scopes.filter(({ state }) => state === 'struck_out')
  const areas = Map.groupBy(possible, ({ name }) => name.split(':')[0])
  return (
    <fieldset>
      <legend>It could</legend>
      {possible.length === 0 ? <p>None of what it asks for can be granted here.</p> : null}
      <ul className="choices">
        {[...areas].map(([area, scopes]) => (
          <li key={area}>
            {scopes.map((scope) => (
              <ScopeBox key={scope.name} scope={scope} choice={choice} />
            ))}
          </li>
        ))}
      </ul>
      {impossible.length > 0 ? (
        <details className="beyond">
          <summary>It also asks for what cannot be granted here ({impossible.length})</summary>
          <ul className="choices struck-out">
            {impossible.map((scope) => (
              <li key={scope.name} className="choice">
                <s>
                  <ScopeWords scope={scope} />
                </s>
              </li>
            ))}
          </ul>
        </details>
      ) : null}
    </fieldset>
  )
}

function ScopeBox({ scope, choice }: { scope: ScopeChoice; choice: Choice }) {
  return (
    <label className={scope.name.endsWith(':write') ? 'choice adds' : 'choice'}>
      <input type="checkbox" checked={choice.scopes.has(scope.name)} onChange={() => choice.toggleScope(scope.name)} />
      <ScopeWords scope={scope} />
    </label>
  )
}

function ScopeWords({ scope: { name, words, was_granted, is_needed } }: { scope: ScopeChoice }) {
  return (
    <span className="choice-words">
      <Emphasised text={words} /> <code>{name}</code>
      {was_granted ? <Badge>granted before</Badge> : null}
      {is_needed && !was_granted ? <Badge tone="good">needed now</Badge> : null}
    </span>
  )
}
