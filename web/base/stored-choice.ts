/** The choice that is stored in this browser under a key; null if there is none, or if storage is blocked. */
export function storedChoice(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

/** Stores a choice in this browser; null removes it. If storage is blocked, the choice is lost on reload. */
export function storeChoice(key: string, choice: string | null): void {
  try {
    if (choice === null) localStorage.removeItem(key)
    else localStorage.setItem(key, choice)
  } catch {
    // the choice counts until the page is reloaded
  }
}
