import { useEffect } from 'react'
import type { Operation } from '#contract/console-api/shapes.ts'
import { useStore } from '../../base/external-store.ts'
import { currentText } from '../../i18n/use-text.ts'
import { paths } from '../../addresses/paths.ts'
import { storeChoice, storedChoice } from '../../base/stored-choice.ts'
import type { LinkTarget } from '../../ui/Link.tsx'

// What fails while the tab is in the background: a count in the title of the document, and browser notifications if the
// person has turned them on.

const KEY = 'bundle-console.alerts'
/** The server's clock may be behind by this much, in milliseconds. */
const CLOCK_TOLERANCE_MS = 60_000

const listeners = new Set<() => void>()
const missed = new Set<string>()
/** In milliseconds since 1970; null while the tab is visible. */
let hiddenSince = document.hidden ? Date.now() : null
let isOn = stored()
let open: (to: LinkTarget) => void = () => undefined

document.addEventListener('visibilitychange', () => {
  hiddenSince = document.hidden ? Date.now() : null
  if (hiddenSince !== null) return
  missed.clear()
  notifyListeners()
})

/** Counts an operation that failed while the tab is in the background, and shows a notification if these are on. */
export function countFailure({ operationId, state, finishedAt, installation }: Operation): void {
  if (hiddenSince === null || state !== 'FAILED' || finishedAt === null || missed.has(operationId)) return
  // an event may also be about a note on an old failure
  if (Date.parse(finishedAt) < hiddenSince - CLOCK_TOLERANCE_MS) return
  missed.add(operationId)
  notifyListeners()
  if (!isOn) return
  const t = currentText()
  const { bundle, environmentKey, applicationRuntimeId, workspaceId } = installation
  const title = t('shell.alerts.failed', { n: missed.size })
  const body = `${bundle.bundleId} · ${environmentKey}/${applicationRuntimeId}/${workspaceId}`
  try {
    // one notification, which the next failure replaces
    const notification = new Notification(title, { body, tag: KEY })
    const to = missed.size === 1 ? paths.operation(operationId) : paths.operations({ state: 'FAILED' })
    notification.addEventListener('click', () => {
      window.focus()
      notification.close()
      open(to)
    })
  } catch {
    // a browser on a phone shows notifications of service workers only; the title still counts
  }
}

/** How many operations have failed since the tab went into the background; 0 while it is visible. */
export const useMissedFailures = (): number => useStore(subscribe, () => missed.size)

/** How a press on a notification opens a page. */
export function useOpenFromAlert(navigate: (to: LinkTarget) => void): void {
  useEffect(() => {
    open = navigate
    return () => {
      open = () => undefined
    }
  }, [navigate])
}

/** `unavailable`: the browser has no notifications, or the person has blocked those of this site. */
export type AlertState = 'on' | 'off' | 'unavailable'

export const useAlerts = (): AlertState =>
  useStore(subscribe, () => (!isAvailable() ? 'unavailable' : isOn ? 'on' : 'off'))

/** Turns notifications on, for which the browser asks the person, or off. The choice is kept in this browser. */
export async function setAlerts(next: boolean): Promise<void> {
  isOn = next && (await Notification.requestPermission()) === 'granted'
  storeChoice(KEY, isOn ? 'on' : null)
  notifyListeners()
}

// hoisted, because the stored choice is read while this module loads
function isAvailable(): boolean {
  return 'Notification' in window && Notification.permission !== 'denied'
}

function stored(): boolean {
  return isAvailable() && Notification.permission === 'granted' && storedChoice(KEY) === 'on'
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function notifyListeners(): void {
  for (const listener of listeners) listener()
}
