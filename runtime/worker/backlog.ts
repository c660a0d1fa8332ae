import type { LeaseRequest } from '../store/operations/lease-operations.ts'
import type { LeasedOperation } from './leased-operation.ts'

/**
 * What a worker knows of due operations that it left in the queue: it decides when freed capacity is worth another look
 * at the queue before the next poll.
 */
export class Backlog {
  private leftEverywhere = false
  /** The plugins that the operations left in the queue call next. */
  private leftAt: ReadonlySet<string> = new Set()
  /** Capacity freed since the last request was sent; what that request left is unknown until its result arrives. */
  private freed = new Set<string>()

  /** Notes free capacity at these plugins. Returns whether operations are waiting for it. */
  noteFreed(pluginIds: readonly string[]): boolean {
    for (const pluginId of pluginIds) this.freed.add(pluginId)
    return this.isWaitingFor(pluginIds)
  }

  /** Call this when a request for operations is sent. */
  noteRequested(): void {
    this.freed = new Set()
  }

  /** Notes the result of a request. Returns whether operations are waiting for capacity that was freed meanwhile. */
  noteLeased({ limit, perPlugin, rooms }: LeaseRequest, leased: readonly LeasedOperation[]): boolean {
    const taken = Map.groupBy(leased, ({ operation }) => operation.next_plugin)
    const room = new Map(rooms.map((known) => [known.pluginId, known.room]))
    const full = [...new Set([...room.keys(), ...taken.keys()])].filter(
      (pluginId) =>
        pluginId !== '' && (taken.get(pluginId)?.length ?? 0) >= (room.get(pluginId) ?? perPlugin),
    )
    // a request that was filled may have left more
    this.leftEverywhere = leased.length >= limit
    this.leftAt = new Set(full)
    return this.isWaitingFor([...this.freed])
  }

  private isWaitingFor(pluginIds: readonly string[]): boolean {
    return pluginIds.some((pluginId) => this.leftEverywhere || this.leftAt.has(pluginId))
  }
}
