import { useState } from 'react'
import { Check, Radios } from '../../components/choice-list.tsx'
import { setSingleKeys, useSingleKeys } from '../../lib/keys.ts'
import { currentTheme, setTheme } from '../../lib/theme.ts'

const themes = [
  { value: 'system', words: 'As the system' },
  { value: 'light', words: 'Light' },
  { value: 'dark', words: 'Dark' },
] as const

/** The colours of the console in this browser, and whether it listens to single keys. */
export function PreferencesPanel() {
  const [theme, setShown] = useState(currentTheme)
  const areKeysOn = useSingleKeys()
  return (
    <section className="panel">
      <h2>In this browser</h2>
      <div className="stack">
        <Radios
          name="theme"
          legend="Colours"
          value={theme}
          options={themes}
          isRow
          onChange={(chosen) => {
            setTheme(chosen)
            setShown(chosen)
          }}
        />
        <Check checked={areKeysOn} onChange={setSingleKeys}>
          <span>Single keys act, such as / to search</span>
          <span className="hint">
            Press ? to see all. Turn them off where dictation or a switch presses them by chance.
          </span>
        </Check>
      </div>
    </section>
  )
}
