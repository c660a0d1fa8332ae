import { useCallback, useState, useSyncExternalStore } from 'react'

const KEY = 'bundle-console.json-beside'
/** Below it, the outline, the form and the document would be too narrow. */
const WIDE = '(width >= 80rem)'

export interface Beside {
  isOpen: boolean
  toggle: () => void
}

/** Whether the form shows the JSON of its resource beside it. The choice is kept in this browser. */
export function useBeside(): Beside {
  const [isChosen, setIsChosen] = useState(stored)
  const isWide = useSyncExternalStore(subscribe, () => matchMedia(WIDE).matches)
  const toggle = useCallback(() => {
    store(!isChosen)
    setIsChosen(!isChosen)
  }, [isChosen])
  return { isOpen: isChosen && isWide, toggle }
}

function subscribe(listener: () => void): () => void {
  const query = matchMedia(WIDE)
  query.addEventListener('change', listener)
  return () => query.removeEventListener('change', listener)
}

function stored(): boolean {
  try {
    return localStorage.getItem(KEY) !== null
  } catch {
    return false
  }
}

function store(isChosen: boolean): void {
  try {
    if (isChosen) localStorage.setItem(KEY, 'on')
    else localStorage.removeItem(KEY)
  } catch {
    // if storage is blocked, the choice is lost on reload
  }
}
