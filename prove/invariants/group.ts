/** The items by key, each group and the groups in the order in which they came. */
export function groupBy<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string | number,
): Map<string | number, Item[]> {
  const groups = new Map<string | number, Item[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}

/** For violations: each line found with the promise that it breaks. */
export const broken = (promise: string, seen: string): { promise: string; seen: string } => ({
  promise,
  seen,
})

export const callKey = (call: { operation_id: string; stage: string; plugin_id: string }): string =>
  `${call.operation_id} ${call.stage} ${call.plugin_id}`

export const deliveryKey = (delivery: { operationId: string; stage: string; pluginId: string }): string =>
  `${delivery.operationId} ${delivery.stage} ${delivery.pluginId}`
