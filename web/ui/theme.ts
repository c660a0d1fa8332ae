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

/** All colors change in one frame: a transition of some would show light text on a light page until it ends. */
function apply() {
  const root = document.documentElement
  root.dataset.switching = ''
  root.dataset.theme = theme === 'system' ? (prefersDark.matches ? 'dark' : 'light') : theme
  // styles are computed here, and nothing differs from them when transitions are allowed again
  getComputedStyle(root).getPropertyValue('color')
  delete root.dataset.switching
}

function stored(): Theme {
  const value = storedChoice(KEY)
  return THEMES.find((known) => known === value) ?? 'system'
}
