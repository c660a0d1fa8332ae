import { useSyncExternalStore } from 'react'

/** The script in `index.html` also reads this key, before the first paint. */
const KEY = 'bundle-console.theme'

export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const dark = matchMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()
let theme = stored()

export function useTheme(): Theme {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => theme,
  )
}

export function setTheme(next: Theme): void {
  theme = next
  try {
    if (next === 'system') localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, next)
  } catch {
    // without storage, the browser forgets the choice
  }
  apply()
  for (const listener of listeners) listener()
}

dark.addEventListener('change', apply)

function apply() {
  document.documentElement.dataset.theme = theme === 'system' ? (dark.matches ? 'dark' : 'light') : theme
}

function stored(): Theme {
  try {
    const value = localStorage.getItem(KEY)
    return THEMES.find((known) => known === value) ?? 'system'
  } catch {
    return 'system'
  }
}
