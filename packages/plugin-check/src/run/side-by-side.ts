const AT_ONCE = 10

/**
 * Does the work for each item, for ten at a time, because the wait for the responses is a good part of a run. Each group ends
 * before the first error in it is thrown: no call is under way in the next case. Work that begins with a wait must not make
 * random choices afterwards, or a run could not be repeated.
 */
export async function sideBySide<const Items extends readonly unknown[], Made>(
  items: Items,
  work: (item: Items[number]) => Promise<Made>,
): Promise<{ -readonly [Index in keyof Items]: Made }> {
  const made: Made[] = []
  for (let at = 0; at < items.length; at += AT_ONCE)
    for (const one of await Promise.allSettled(items.slice(at, at + AT_ONCE).map(work))) {
      if (one.status === 'rejected') throw one.reason
      made.push(one.value)
    }
  // one for each item
  return made as { -readonly [Index in keyof Items]: Made }
}
