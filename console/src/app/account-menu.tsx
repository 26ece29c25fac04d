import { useState } from 'react'
import { Icon } from '../components/icon.tsx'
import { SignedInAs } from '../components/signed-in-as.tsx'
import { queries } from '../lib/queries.ts'
import { currentTheme, setTheme, themes } from '../lib/theme.ts'
import { useMe } from './me.tsx'

const words = { system: 'As the system', light: 'Light', dark: 'Dark' } as const

/** The person who is signed in, the colours, and the way out; the browser closes it by Esc or a press elsewhere. */
export function AccountMenu() {
  const { name, email } = useMe().session
  const [theme, setShown] = useState(currentTheme)
  return (
    <div className="account">
      <button type="button" className="button quiet small" popoverTarget="account">
        <bdi>{name}</bdi> <Icon name="down" />
      </button>
      <div id="account" popover="auto" className="popover">
        <label>
          Colours
          <select
            value={theme}
            onChange={(event) => {
              const chosen = themes.find((one) => one === event.currentTarget.value) ?? 'system'
              setTheme(chosen)
              setShown(chosen)
            }}
          >
            {themes.map((one) => (
              <option key={one} value={one}>
                {words[one]}
              </option>
            ))}
          </select>
        </label>
        <SignedInAs email={email} onLeave={() => queries.clear()} />
      </div>
    </div>
  )
}
