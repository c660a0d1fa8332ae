import { useSyncExternalStore } from 'react'
import { storeChoice, storedChoice } from '../base/stored-choice.ts'

/** The script in `index.html` also reads this key, before the first paint. */
const KEY = 'bundle-console.theme'

export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const prefersDark = matchMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()
let theme = stored()

/** The theme that the person chose, not the one that `system` resolves to. Renders again when it changes. */
export function useTheme(): Theme {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => theme,
  )
}

/** Applies a theme to the document and stores it in this browser. */
export function setTheme(next: Theme): void {
  theme = next
  storeChoice(KEY, next === 'system' ? null : next)
  apply()
  for (const listener of listeners) listener()
}

prefersDark.addEventListener('change', apply)

function apply() {
  document.documentElement.dataset.theme =
    theme === 'system' ? (prefersDark.matches ? 'dark' : 'light') : theme
}

function stored(): Theme {
  const value = storedChoice(KEY)
  return THEMES.find((known) => known === value) ?? 'system'
}
