type AtLocator = { readonly locator: string }

const indexes = new WeakMap<readonly AtLocator[], ReadonlyMap<string, AtLocator>>()

/**
 * The resource of a list that has this locator. The list must not change any more: it is read once, and not again for each
 * value, because a bundle may have thousands of resources, and a request a value for each.
 */
export function resourceAt<Resource extends AtLocator>(
  list: readonly Resource[],
  locator: string,
): Resource | undefined {
  const index = indexes.get(list) ?? new Map(list.map((one) => [one.locator, one]))
  indexes.set(list, index)
  // the index has what the list has
  return index.get(locator) as Resource | undefined
}
