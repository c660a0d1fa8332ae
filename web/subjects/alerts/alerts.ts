import { useEffect, useSyncExternalStore } from 'react'
import type { Batch, Operation } from '#contract/console-api/shapes.ts'
import { currentText } from '../../i18n/use-text.ts'
import { ApiError, callApi } from '../../api/client.ts'
import { needsPerson } from '../batch/batch-looks.ts'
import { batchTitle } from '../batch/batch-title.ts'
import { batchProgressText } from '../batch/batch-counts.ts'
import { operationName } from '../operations/operation-texts.ts'
import { scopeText } from '../scopes/scope-text.ts'
import { paths } from '../../addresses/paths.ts'
import { storeChoice, storedChoice } from '../../base/stored-choice.ts'
import type { LinkTarget } from '../../ui/Link.tsx'

// What fails while the tab is in the background: a count in the title of the document, and browser notifications if the
// person has turned them on. And the end of each operation or batch that the person wants to be told.

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
  // the end of a watched operation has a notification of its own
  if (!isOn || watched.has(keyOf({ kind: 'operation', id: operationId }))) return
  // one notification, which the next failure replaces
  show(KEY, {
    title: currentText()('shell.alerts.failed', { n: missed.size }),
    body: placeOf(installation),
    to: missed.size === 1 ? paths.operation(operationId) : paths.operations({ state: 'FAILED' }),
  })
}

const placeOf = ({ bundle, ...scope }: Operation['installation']): string =>
  `${bundle.bundleId} · ${scopeText(scope)}`

function show(tag: string, { title, body, to }: { title: string; body: string; to: LinkTarget }): void {
  try {
    const notification = new Notification(title, { body, tag })
    notification.addEventListener('click', () => {
      window.focus()
      notification.close()
      open(to)
    })
  } catch {
    // a browser on a phone shows notifications of service workers only; the title still counts failures
  }
}

/** An operation or a batch whose end the person wants to be notified of. */
export interface Watched {
  kind: 'operation' | 'batch'
  id: string
}

/** How often the state of what is watched is read: its page may be closed, and this tab may receive no events. */
const WATCH_MS = 5_000
/** In the tab, as the watching is: a copy in another tab would tell it twice. */
const WATCHED = `${KEY}.watched`
const watched = new Map<string, Watched>()
/** Whose they are; null until the person is known. */
let watcher: string | null = null
let timer: ReturnType<typeof setInterval> | undefined

/** Goes on with what this person watches in the tab. What another person watched there before is forgotten. */
export function watchAs(personId: string): void {
  if (watcher === personId) return
  watcher = personId
  watched.clear()
  for (const one of storedWatched(personId)) watched.set(keyOf(one), one)
  followWatched()
}

/**
 * Watches something until it is over, or no longer. The browser asks the person for the permission to notify; returns
 * false if it is not given.
 */
export async function setWatched(one: Watched, next: boolean): Promise<boolean> {
  if (next && !(await mayNotify())) {
    notifyListeners()
    return false
  }
  if (next) watched.set(keyOf(one), one)
  else watched.delete(keyOf(one))
  followWatched()
  return true
}

export const useIsWatched = ({ kind, id }: Watched): boolean =>
  useSyncExternalStore(subscribe, () => watched.has(keyOf({ kind, id })))

const keyOf = ({ kind, id }: Watched): string => `${kind} ${id}`

function followWatched(): void {
  try {
    sessionStorage.setItem(WATCHED, JSON.stringify({ personId: watcher, items: [...watched.values()] }))
  } catch {
    // watched until the page is reloaded
  }
  clearInterval(timer)
  timer = watched.size === 0 ? undefined : setInterval(() => void readWatched(), WATCH_MS)
  notifyListeners()
}

function storedWatched(personId: string): Watched[] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(WATCHED) ?? 'null')
    const { personId: of, items } = (stored ?? {}) as { personId?: unknown; items?: unknown }
    return of === personId && Array.isArray(items) ? items.filter(isWatched) : []
  } catch {
    return []
  }
}

function isWatched(value: unknown): value is Watched {
  const { kind, id } = (value ?? {}) as Partial<Record<keyof Watched, unknown>>
  return (kind === 'operation' || kind === 'batch') && typeof id === 'string'
}

async function readWatched(): Promise<void> {
  await Promise.all(
    [...watched.values()].map(async (one) => {
      try {
        if (one.kind === 'batch')
          tellEnd(one, await callApi('GET /batches/{batchId}', { params: { batchId: one.id } }))
        else
          tellOperation(await callApi('GET /operations/{operationId}', { params: { operationId: one.id } }))
      } catch (error) {
        // it was removed, or the person may not see it any more
        if (error instanceof ApiError && error.problem.code === 'NOT_FOUND') await setWatched(one, false)
      }
    }),
  )
}

/** Tells that an operation is over, if the person wants to be told. */
export function tellOperation(operation: Operation): void {
  const { operationId, state, installation } = operation
  if (operation.finishedAt === null || !END_STATES.has(state)) return
  const t = currentText()
  tell(
    { kind: 'operation', id: operationId },
    {
      title: t('shell.watch.over', {
        name: operationName(operation, t),
        result: t(`vocabulary.operation.${state}`),
      }),
      body: placeOf(installation),
      to: paths.operation(operationId),
    },
  )
}

const END_STATES: ReadonlySet<Operation['state']> = new Set(['SUCCEEDED', 'FAILED', 'TAKEN_OVER'])

function tellEnd(one: Watched, batch: Batch): void {
  // a paused batch, or a wave with an unmet condition, waits for a person
  if (batch.finishedAt === null && batch.state !== 'PAUSED' && !needsPerson(batch)) return
  const t = currentText()
  tell(one, {
    title: t('shell.watch.over', {
      name: batchTitle(batch, t),
      result: t(`batches.state.${batch.waiting ? 'waiting' : batch.state}`),
    }),
    body: batchProgressText(batch.counts, t),
    to: paths.batch(batch.batchId),
  })
}

function tell(one: Watched, said: Parameters<typeof show>[1]): void {
  if (!watched.delete(keyOf(one))) return
  followWatched()
  show(`${KEY}.${keyOf(one)}`, said)
}

/** How many operations have failed since the tab went into the background; 0 while it is visible. */
export const useMissedFailures = (): number => useSyncExternalStore(subscribe, () => missed.size)

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
  useSyncExternalStore(subscribe, () => (!isAvailable() ? 'unavailable' : isOn ? 'on' : 'off'))

/** Turns notifications on, for which the browser asks the person, or off. The choice is kept in this browser. */
export async function setAlerts(next: boolean): Promise<void> {
  isOn = next && (await mayNotify())
  storeChoice(KEY, isOn ? 'on' : null)
  notifyListeners()
}

const mayNotify = async (): Promise<boolean> =>
  isAvailable() && (await Notification.requestPermission()) === 'granted'

// hoisted, because the stored choice is read while this module loads
function isAvailable(): boolean {
  return 'Notification' in window && Notification.permission !== 'denied'
}

function stored(): boolean {
  // the choice first: the permission is asked of another process, for which the start would wait
  return storedChoice(KEY) === 'on' && isAvailable() && Notification.permission === 'granted'
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function notifyListeners(): void {
  for (const listener of listeners) listener()
}
