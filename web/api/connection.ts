import { useStore } from '../external-store.ts'
import type { ConnectionState } from './event-stream.ts'

const listeners = new Set<() => void>()
let state: ConnectionState = 'connecting'
let hasEnded = false

/** Whether changes arrive; the page shows `lost` and `paused` in one unobtrusive line. */
export function useConnection(): ConnectionState {
  return useStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, connectionState)
}

export const connectionState = (): ConnectionState => state

/** Whether the console may be out of reach: the event stream has ended, and no new one is open yet. */
export const isInterrupted = (): boolean => hasEnded

/** Records that the event stream has ended, or could not be opened. */
export function recordEnd(): void {
  hasEnded = true
}

/** Records the state of the event stream. */
export function recordState(next: ConnectionState): void {
  if (next === 'open' || next === 'paused') hasEnded = false
  state = next
  for (const listener of listeners) listener()
}
