import { Check } from '../components/choice-list.tsx'
import { Dialog } from '../components/dialog.tsx'
import { setSingleKeys, useSingleKeys } from '../lib/keys.ts'
import { pages_by_key } from './use-keys.ts'

const keys: readonly [keys: readonly string[], words: string][] = [
  [['Ctrl', 'K'], 'Go anywhere, on a Mac with Cmd'],
  [['/'], 'Search on this page'],
  [['c'], 'Create'],
  [['j'], 'Next row'],
  [['k'], 'Row before'],
  [['Enter'], 'Open the row'],
  [['Esc'], 'Close'],
  [['?'], 'This help'],
]

/** The keys, and the switch for those that act without Ctrl. */
export function KeysHelp({ onClose }: { onClose(): void }) {
  const isOn = useSingleKeys()
  return (
    <Dialog title="Keys" look="wide" onClose={onClose}>
      <div className="keys">
        <Keys rows={keys} />
        <Keys rows={Object.entries(pages_by_key).map(([key, { words }]) => [['g', key], words])} />
      </div>
      <Check checked={isOn} onChange={setSingleKeys}>
        <span>Single keys</span> <span className="hint">Off: only Ctrl K and Esc act. Kept in this browser.</span>
      </Check>
    </Dialog>
  )
}

function Keys({ rows }: { rows: readonly [keys: readonly string[], words: string][] }) {
  return (
    <dl className="facts">
      {rows.map(([pressed, words]) => (
        <div key={words} className="fact">
          <dt>
            {pressed.map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}
          </dt>
          <dd>{words}</dd>
        </div>
      ))}
    </dl>
  )
}
