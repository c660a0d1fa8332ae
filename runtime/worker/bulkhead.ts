import { afterContact, CLOSED } from '../engine/steps/breaker.ts'
import type { Breaker, Contact } from '../engine/steps/breaker.ts'

/**
 * Limits how many calls a worker may have in flight at each plugin, so that a plugin that hangs cannot block the whole
 * worker, and a plugin whose breaker is open gets one call at a time.
 */
export class Bulkhead {
  private readonly taken = new Map<string, number>()
  /** Only of plugins that left a call unanswered. */
  private readonly breakers = new Map<string, Breaker>()
  private readonly perPlugin: number
  private readonly onFree: (pluginIds: readonly string[]) => void
  private free = Promise.withResolvers<void>()

  /** `onFree` is notified when capacity becomes free. */
  constructor(perPlugin: number, onFree: (pluginIds: readonly string[]) => void = () => {}) {
    this.perPlugin = perPlugin
    this.onFree = onFree
  }

  /** Acquires one permit at each of these plugins, or none and returns false. */
  acquireAll(pluginIds: readonly string[]): boolean {
    if (pluginIds.some((pluginId) => this.roomAt(pluginId) <= 0)) return false
    for (const pluginId of pluginIds) this.taken.set(pluginId, this.takenAt(pluginId) + 1)
    return true
  }

  releaseAll(pluginIds: readonly string[]): void {
    for (const pluginId of pluginIds) {
      const left = this.takenAt(pluginId) - 1
      if (left > 0) this.taken.set(pluginId, left)
      else this.taken.delete(pluginId)
    }
    if (pluginIds.length > 0) this.notifyFree(pluginIds)
  }

  /** Resolves when capacity becomes free at any plugin. */
  freed(): Promise<void> {
    return this.free.promise
  }

  /** The free capacity at a plugin, and at each plugin where it differs. */
  room(): { perPlugin: number; rooms: { pluginId: string; room: number }[] } {
    const different = new Set([...this.taken.keys(), ...this.troubled()])
    return {
      perPlugin: this.perPlugin,
      rooms: [...different].map((pluginId) => ({ pluginId, room: this.roomAt(pluginId) })),
    }
  }

  /** Plugins that get one call at a time. */
  troubled(): string[] {
    return [...this.breakers].filter(([, { isOpen }]) => isOpen).map(([pluginId]) => pluginId)
  }

  /** Notes what a call shows about its plugin, and returns how that changed the breaker. */
  note(pluginId: string, contact: Contact): 'opened' | 'closed' | null {
    const before = this.breakers.get(pluginId) ?? CLOSED
    const after = afterContact(before, contact)
    if (after === CLOSED) this.breakers.delete(pluginId)
    else this.breakers.set(pluginId, after)
    if (before.isOpen === after.isOpen) return null
    if (before.isOpen) this.notifyFree([pluginId])
    return after.isOpen ? 'opened' : 'closed'
  }

  private notifyFree(pluginIds: readonly string[]): void {
    this.free.resolve()
    this.free = Promise.withResolvers<void>()
    this.onFree(pluginIds)
  }

  private roomAt(pluginId: string): number {
    const most = this.breakers.get(pluginId)?.isOpen === true ? 1 : this.perPlugin
    return most - this.takenAt(pluginId)
  }

  private takenAt(pluginId: string): number {
    return this.taken.get(pluginId) ?? 0
  }
}

/**
 * The permits of one operation. The permit of a completed call is kept until the next step is known, so that an
 * operation that has started does not lose its capacity to one that has not.
 */
export class Permits {
  /** Acquired, with no call in flight. */
  private kept: readonly string[] = []
  private readonly bulkhead: Bulkhead

  constructor(bulkhead: Bulkhead) {
    this.bulkhead = bulkhead
  }

  /** Keeps a permit at exactly these plugins, or returns false and changes nothing. */
  keep(pluginIds: readonly string[]): boolean {
    if (!this.bulkhead.acquireAll(pluginIds.filter((pluginId) => !this.kept.includes(pluginId)))) return false
    this.bulkhead.releaseAll(this.kept.filter((pluginId) => !pluginIds.includes(pluginId)))
    this.kept = [...pluginIds]
    return true
  }

  leave(): void {
    this.keep([])
  }

  /** The calls of all kept permits are in flight. */
  begin(): void {
    this.kept = []
  }

  /** The call at this plugin has completed. */
  end(pluginId: string): void {
    this.kept = [...this.kept, pluginId]
  }
}
