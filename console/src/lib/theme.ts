const key = 'stint-theme'
export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

/** As this browser was told; without a word the colours follow the system. */
export function currentTheme(): Theme {
  const kept = localStorage.getItem(key)
  return themes.find((theme) => theme === kept) ?? 'system'
}

export function setTheme(theme: Theme): void {
  localStorage.setItem(key, theme)
  show(theme)
}

function show(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}

show(currentTheme())
