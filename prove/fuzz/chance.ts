/**
 * Choices that all follow from one number (mulberry32): so an edit is one small number, which is quickly made, and
 * left out or made smaller when a failing input is reduced.
 */
export class Chance {
  private state: number

  constructor(seed: number) {
    this.state = seed
  }

  private fraction(): number {
    this.state = (this.state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** 0 to `limit` - 1. */
  below(limit: number): number {
    return Math.floor(this.fraction() * limit)
  }

  oneOf<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)]
    if (item === undefined) throw new RangeError('there is nothing to choose from')
    return item
  }

  /** Finite, of any size. */
  number(): number {
    const number = (this.fraction() - 0.5) * 10 ** this.below(40)
    return this.below(2) === 0 ? number : Math.round(number)
  }
}
