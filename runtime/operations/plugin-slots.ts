/** How many calls a worker has under way at each plugin, so that one that hangs cannot take all of the worker. */
export class PluginSlots {
  private readonly taken = new Map<string, number>()
  private readonly perPlugin: number

  constructor(perPlugin: number) {
    this.perPlugin = perPlugin
  }

  /** Takes one slot at each of these plugins, or none at all and answers false. */
  takeAll(pluginIds: readonly string[]): boolean {
    if (pluginIds.some((pluginId) => this.callsAt(pluginId) >= this.perPlugin)) return false
    for (const pluginId of pluginIds) this.taken.set(pluginId, this.callsAt(pluginId) + 1)
    return true
  }

  free(pluginId: string): void {
    const left = this.callsAt(pluginId) - 1
    if (left > 0) this.taken.set(pluginId, left)
    else this.taken.delete(pluginId)
  }

  freeAll(pluginIds: readonly string[]): void {
    for (const pluginId of pluginIds) this.free(pluginId)
  }

  /** Plugins that have no room. */
  busy(): string[] {
    return [...this.taken].filter(([, calls]) => calls >= this.perPlugin).map(([pluginId]) => pluginId)
  }

  private callsAt(pluginId: string): number {
    return this.taken.get(pluginId) ?? 0
  }
}
