import { useSyncExternalStore } from 'react'

const kept = 'stint-keys'
const changed = 'stint:keys'

/** Keys that act without Ctrl can disturb somebody who dictates or uses a switch: each can do without (WCAG 2.1.4). */
export const areSingleKeysOn = () => localStorage.getItem(kept) !== 'off'

export function setSingleKeys(isOn: boolean): void {
  if (isOn) localStorage.removeItem(kept)
  else localStorage.setItem(kept, 'off')
  dispatchEvent(new Event(changed))
}

export function useSingleKeys(): boolean {
  return useSyncExternalStore((tell) => {
    addEventListener(changed, tell)
    return () => removeEventListener(changed, tell)
  }, areSingleKeysOn)
}

/** True where a key is text: in a field, or a list whose entries are found by typing. */
export function isTyping({ target }: Event): boolean {
  return (
    target instanceof Element && target.closest('input, select, textarea, [contenteditable], [role="listbox"]') !== null
  )
}
