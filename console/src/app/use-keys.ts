import { useEffect, useState } from 'react'
import { areSingleKeysOn, isTyping } from '../lib/keys.ts'
import { goTo } from '../lib/router.tsx'

/** The pages behind `g`; one that the own role has no right to says so itself. */
export const pages_by_key = {
  o: { to: '/', words: 'Home' },
  p: { to: '/people', words: 'People' },
  c: { to: '/contracts', words: 'Contracts' },
  t: { to: '/tokens', words: 'API tokens' },
  w: { to: '/webhooks', words: 'Webhooks' },
  e: { to: '/events', words: 'Events' },
  l: { to: '/requests', words: 'Request log' },
  d: { to: '/docs', words: 'API reference' },
} as const

const second_key_within_ms = 1_500

export type Overlay = 'palette' | 'help' | null

/**
 * The keys of the console. An element that names its key in `aria-keyshortcuts` is pressed by it, in the open dialog or else on
 * the page: `c` creates, `j` and `k` go on and back; in a list without such elements they go from row to row.
 */
export function useKeys(): [Overlay, (overlay: Overlay) => void] {
  const [overlay, setOverlay] = useState<Overlay>(null)
  useEffect(() => {
    let after_g_until_ms = 0
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) {
        event.preventDefault()
        return setOverlay((open) => (open === 'palette' ? null : 'palette'))
      }
      const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey
      if (!isPlain || event.defaultPrevented || !areSingleKeysOn() || isTyping(event)) return
      const isAfterG = event.timeStamp < after_g_until_ms
      after_g_until_ms = event.key === 'g' ? event.timeStamp + second_key_within_ms : 0
      const act = isAfterG ? pageOf(event.key) : actionOf(event.key, () => setOverlay('help'))
      if (!act) return
      event.preventDefault()
      act()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
  return [overlay, setOverlay]
}

function pageOf(key: string): (() => void) | null {
  if (openDialog() || !isPageKey(key)) return null
  const { to } = pages_by_key[key]
  return () => (to === '/docs' ? location.assign(to) : goTo(to))
}

const isPageKey = (key: string): key is keyof typeof pages_by_key => Object.hasOwn(pages_by_key, key)

const openDialog = () => [...document.querySelectorAll('dialog[open]')].at(-1) ?? null

function actionOf(key: string, help: () => void): (() => void) | null {
  const dialog = openDialog()
  const place = dialog ?? document.querySelector('main')
  if (key === '?') return dialog ? null : help
  if (key === '/') return focusing(place?.querySelector<HTMLElement>('input[type="search"]'))
  if (!['c', 'j', 'k'].includes(key)) return null
  const named = place?.querySelector<HTMLElement>(`[aria-keyshortcuts~="${key}"]:not(:disabled)`)
  if (named) return () => named.click()
  return dialog || key === 'c' ? null : focusing(nextRow(key === 'j' ? 1 : -1))
}

const focusing = (element: HTMLElement | null | undefined) => (element ? () => element.focus() : null)

/** The link of the next row, which Enter opens; the first or last one from elsewhere. */
function nextRow(step: 1 | -1): HTMLElement | null | undefined {
  const links = [...document.querySelectorAll<HTMLElement>('main .table tbody tr')].map((row) =>
    row.querySelector<HTMLElement>('.main a, .main button, a'),
  )
  const at = links.findIndex((link) => link?.closest('tr')?.contains(document.activeElement))
  return at < 0 ? links.at(step === 1 ? 0 : -1) : links[at + step]
}
