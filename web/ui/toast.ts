import type { NoticeTone } from './Notice.tsx'
import type { LinkTarget } from './Link.tsx'

/** A brief confirmation. Anything that the person must not miss belongs on the page instead. */
export type Toast = {
  id: number
  tone: NoticeTone
  text: string
  /** One link, for example to the created operation. */
  link?: { label: string; to: LinkTarget } | undefined
  /** One button, which also closes it. */
  action?: { label: string; onPress: () => void } | undefined
  /** What it is about, so that it can be dismissed when it is out of date. */
  topic?: string | undefined
}

let toasts: readonly Toast[] = []
let last = 0
const listeners = new Set<() => void>()

export function showToast(toast: Omit<Toast, 'id' | 'tone'> & { tone?: NoticeTone }): void {
  last += 1
  publish([...toasts.slice(-2), { tone: 'ok', ...toast, id: last }])
}

export function dismissToast(id: number): void {
  publish(toasts.filter((toast) => toast.id !== id))
}

/** Dismisses every toast about this topic. */
export function dismissTopic(topic: string): void {
  publish(toasts.filter((toast) => toast.topic !== topic))
}

export function subscribeToToasts(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const currentToasts = () => toasts

function publish(next: readonly Toast[]) {
  toasts = next
  for (const listener of listeners) listener()
}
