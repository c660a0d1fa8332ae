import { afterContact, CLOSED } from '../engine/steps/breaker.ts'
import type { Breaker, Contact } from '../engine/steps/breaker.ts'

/**
 * How many calls a worker may have at each plugin, so that one that hangs cannot take all of the worker, and one in
 * trouble is asked by one call at a time.
 */
export class Bulkhead {
  private readonly taken = new Map<string, number>()
  /** Only of plugins that left a call unanswered. */
  private readonly breakers = new Map<string, Breaker>()
  private readonly perPlugin: number
  private readonly onFree: (pluginIds: readonly string[]) => void
  private free = Promise.withResolvers<void>()

  /** `onFree` is told where there is room again. */
  constructor(perPlugin: number, onFree: (pluginIds: readonly string[]) => void = () => {}) {
    this.perPlugin = perPlugin
    this.onFree = onFree
  }

  /** Takes one permit at each of these plugins, or none at all and answers false. */
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
    if (pluginIds.length > 0) this.tellFree(pluginIds)
  }

  /** Resolves when there is room again at some plugin. */
  freed(): Promise<void> {
    return this.free.promise
  }

  /** How many calls there is room for at a plugin, and at those that differ. */
  room(): { perPlugin: number; rooms: { pluginId: string; room: number }[] } {
    const different = new Set([...this.taken.keys(), ...this.troubled()])
    return {
      perPlugin: this.perPlugin,
      rooms: [...different].map((pluginId) => ({ pluginId, room: this.roomAt(pluginId) })),
    }
  }

  /** Plugins that are asked by one call at a time. */
  troubled(): string[] {
    return [...this.breakers].filter(([, { isOpen }]) => isOpen).map(([pluginId]) => pluginId)
  }

  /** Notes what a call says about its plugin; answers what that changed. */
  note(pluginId: string, contact: Contact): 'opened' | 'closed' | null {
    const before = this.breakers.get(pluginId) ?? CLOSED
    const after = afterContact(before, contact)
    if (after === CLOSED) this.breakers.delete(pluginId)
    else this.breakers.set(pluginId, after)
    if (before.isOpen === after.isOpen) return null
    if (before.isOpen) this.tellFree([pluginId])
    return after.isOpen ? 'opened' : 'closed'
  }

  private tellFree(pluginIds: readonly string[]): void {
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
 * The bulkhead of one operation. One that a call came back to stays the operation's until it is known what comes next, so
 * that an operation that has begun does not lose its place to one that has not.
 */
export class Permits {
  /** Taken, with no call under way. */
  private kept: readonly string[] = []
  private readonly bulkhead: Bulkhead

  constructor(bulkhead: Bulkhead) {
    this.bulkhead = bulkhead
  }

  /** Keeps a permit at each of these plugins and at no other; or answers false, and nothing is changed. */
  keep(pluginIds: readonly string[]): boolean {
    if (!this.bulkhead.acquireAll(pluginIds.filter((pluginId) => !this.kept.includes(pluginId)))) return false
    this.bulkhead.releaseAll(this.kept.filter((pluginId) => !pluginIds.includes(pluginId)))
    this.kept = [...pluginIds]
    return true
  }

  leave(): void {
    this.keep([])
  }

  /** The calls at all kept bulkhead are under way. */
  begin(): void {
    this.kept = []
  }

  /** The call at this plugin came back. */
  end(pluginId: string): void {
    this.kept = [...this.kept, pluginId]
  }
}
