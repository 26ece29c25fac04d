import { useState } from 'react'
import { currentTheme, setTheme, themes } from '../../lib/theme.ts'

const words = { system: 'As the system', light: 'Light', dark: 'Dark' } as const

/** How the console looks in this browser, and which keys it listens to. */
export function PreferencesPanel() {
  const [theme, setShown] = useState(currentTheme)
  return (
    <section className="panel">
      <h2>In this browser</h2>
      <fieldset className="radios">
        <legend>Colours</legend>
        {themes.map((one) => (
          <label key={one}>
            <input
              type="radio"
              name="theme"
              checked={theme === one}
              onChange={() => {
                setTheme(one)
                setShown(one)
              }}
            />
            {words[one]}
          </label>
        ))}
      </fieldset>
    </section>
  )
}
