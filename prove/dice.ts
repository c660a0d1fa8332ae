/** Chance that comes out the same for the same seed. */
export interface Dice {
  /** From 0 (included) to 1 (excluded). */
  fraction(): number
  /** A whole number from 0 to `below` - 1. */
  below(below: number): number
  /** Whether something of this chance happens. */
  happens(chance: number): boolean
  pick<Item>(items: readonly Item[]): Item
}

/** Mulberry32: small, quick, and good enough to choose what to try. */
export function diceOf(seed: number): Dice {
  let state = seed >>> 0
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number): number => Math.floor(fraction() * limit)
  return {
    fraction,
    below,
    happens: (chance) => fraction() < chance,
    pick(items) {
      const item = items[below(items.length)]
      if (item === undefined) throw new RangeError('there is nothing to pick from')
      return item
    },
  }
}
