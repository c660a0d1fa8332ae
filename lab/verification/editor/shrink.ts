/**
 * Shortens a failing sequence: removes smaller and smaller ranges of steps as long as it still fails.
 *
 * @param fails Whether these steps, by number, still fail.
 * @returns The numbers of the remaining steps.
 */
export async function shrink(
  steps: readonly number[],
  fails: (steps: readonly number[]) => Promise<boolean>,
  maxTries = 40,
): Promise<number[]> {
  let left = [...steps]
  let tries = 0
  for (let size = Math.ceil(left.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let from = left.length - size; from > -size; from -= size) {
      if (tries >= maxTries) return left
      const start = Math.max(0, from)
      const shorter = left.toSpliced(start, size + Math.min(0, from))
      if (shorter.length === 0 || shorter.length === left.length) continue
      tries += 1
      if (await fails(shorter)) left = shorter
    }
  }
  return left
}
