/**
 * Applies `work` to the items, at most `limit` at a time, and starts no more once `isEnough`. Returns the results in the
 * order of the items.
 */
export async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<Result>,
  isEnough: () => boolean = () => false,
): Promise<Result[]> {
  const results: Result[] = []
  const waiting = [...items.entries()]
  const workOnNext = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined && !isEnough(); next = waiting.shift()) {
      const [index, item] = next
      results[index] = await work(item)
    }
  }
  await Promise.all(Array.from({ length: limit }, workOnNext))
  // without the places of items that were not started
  return Object.values(results)
}
