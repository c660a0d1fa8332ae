import { useSyncExternalStore } from 'react'

/** `paused`: the stream of a newer tab of the same person replaced this one. */
export type ConnectionState = 'connecting' | 'open' | 'lost' | 'paused'

const listeners = new Set<() => void>()
let state: ConnectionState = 'connecting'
let hasEnded = false
let isAnswered = false

/** `polling`: no events arrive, but requests are answered, so what is shown is read again from time to time. */
export type LiveState = ConnectionState | 'polling'

/** Whether changes arrive; the page shows `lost`, `polling` and `paused` in one unobtrusive line. */
export function useConnection(): LiveState {
  return useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, liveState)
}

export const connectionState = (): ConnectionState => state

export const liveState = (): LiveState => (state === 'lost' && isAnswered ? 'polling' : state)

/** Whether the console may be out of reach: the event stream has ended, no new one is open yet, and no request was answered since. */
export const isInterrupted = (): boolean => hasEnded && !isAnswered

/** Records whether the console answered a request, which may differ from what its event stream does. */
export function recordRequest(wasAnswered: boolean): void {
  if (isAnswered === wasAnswered) return
  isAnswered = wasAnswered
  for (const listener of listeners) listener()
}

/** Records that the event stream has ended, or could not be opened. */
export function recordEnd(): void {
  if (!hasEnded) isAnswered = false
  hasEnded = true
}

/** Records the state of the event stream. */
export function recordState(next: ConnectionState): void {
  if (next === 'open' || next === 'paused') hasEnded = false
  state = next
  for (const listener of listeners) listener()
}
