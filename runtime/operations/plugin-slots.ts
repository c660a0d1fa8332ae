/** How many calls a worker has under way at each plugin, so that one that hangs cannot take all of the worker. */
export class PluginSlots {
  private readonly taken = new Map<string, number>()
  private readonly perPlugin: number

  constructor(perPlugin: number) {
    this.perPlugin = perPlugin
  }

  take(pluginId: string): void {
    this.taken.set(pluginId, (this.taken.get(pluginId) ?? 0) + 1)
  }

  free(pluginId: string): void {
    const left = (this.taken.get(pluginId) ?? 0) - 1
    if (left > 0) this.taken.set(pluginId, left)
    else this.taken.delete(pluginId)
  }

  hasRoomFor(pluginIds: readonly string[]): boolean {
    return pluginIds.every((pluginId) => (this.taken.get(pluginId) ?? 0) < this.perPlugin)
  }

  /** Plugins that have no room. */
  busy(): string[] {
    return [...this.taken].filter(([, calls]) => calls >= this.perPlugin).map(([pluginId]) => pluginId)
  }
}
