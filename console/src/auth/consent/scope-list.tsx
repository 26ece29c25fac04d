import { Badge } from '../../components/badge.tsx'
import type { Place, ScopeChoice } from './consent.ts'
import { Emphasised } from './emphasised.tsx'
import type { Choice } from './use-choice.ts'

export function ScopeList({ place, choice }: { place: Place; choice: Choice }) {
  const possible = place.scopes.filter(({ state }) => state !== 'struck_out')
  const impossible = place.scopes.filter(({ state }) => state === 'struck_out')
  return (
    <fieldset>
      <legend>It could</legend>
      {possible.length === 0 ? <p>None of what it asks for can be granted here.</p> : null}
      <ul className="choices">
        {possible.map((scope) => (
          <li key={scope.name}>
            <label className="choice">
              <input
                type="checkbox"
                checked={choice.scopes.has(scope.name)}
                onChange={() => choice.toggleScope(scope.name)}
              />
              <ScopeWords scope={scope} />
            </label>
          </li>
        ))}
      </ul>
      {impossible.length > 0 ? (
        <>
          <p className="hint beyond">It also asks for what cannot be granted here:</p>
          <ul className="choices struck-out">
            {impossible.map((scope) => (
              <li key={scope.name} className="choice">
                <s>
                  <ScopeWords scope={scope} />
                </s>
              </li>
            ))}
          </ul>
        </>
      ) : null}
    </fieldset>
  )
}

function ScopeWords({ scope: { name, words, was_granted } }: { scope: ScopeChoice }) {
  return (
    <span className="choice-words">
      <Emphasised text={words} /> <code>{name}</code>
      {was_granted ? <Badge>granted before</Badge> : null}
    </span>
  )
}
