import { useSyncExternalStore } from 'react'

// One clock for all displayed times: a single timer, so that all texts change together. It stops while nothing is
// displayed.
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined
let now = Date.now()
const TICK_MS = 1_000

/** The time of the last tick. Nothing ticks before the first time is displayed: its render, not its subscription, takes a new time. */
function current(): number {
  if (timer === undefined && Date.now() - now >= TICK_MS) now = Date.now()
  return now
}

function tick() {
  now = Date.now()
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(tick, TICK_MS)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0 || timer === undefined) return
    clearInterval(timer)
    timer = undefined
  }
}

/** The time, rounded down to the step, so that a text is rendered only when it can differ. */
export function useNow(stepMs: number): number {
  return useSyncExternalStore(subscribe, () => Math.floor(current() / stepMs) * stepMs)
}
