import type { Random } from '#http-kit/random.ts'

/** Random choices from a seed (mulberry32): the same seed gives the same choices on every machine. */
export class SeededRandom implements Random {
  private state: number

  constructor(seed: number) {
    this.state = seed >>> 0
  }

  /** An independent generator for a named part, so that more draws in one part do not change another. Draws nothing. */
  fork(name: string): SeededRandom {
    let hash = this.state ^ 0x9e3779b9
    for (const character of name) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193)
    return new SeededRandom(hash ^ (hash >>> 15))
  }

  /** An independent generator, for a concurrent task that draws at its own pace. */
  split(): SeededRandom {
    return new SeededRandom(this.below(2 ** 32))
  }

  /** A number from 0 (included) to 1 (excluded). */
  fraction(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => this.below(256))
  }

  /** An integer from 0 to `limit` - 1. */
  below(limit: number): number {
    return Math.floor(this.fraction() * limit)
  }

  /** An integer from `min` to `max`, both included. */
  integer(min: number, max: number): number {
    return min + this.below(max - min + 1)
  }

  /** A real number from `min` to `max`. */
  between(min: number, max: number): number {
    return min + this.fraction() * (max - min)
  }

  /** True with this probability. */
  chance(probability: number): boolean {
    return this.fraction() < probability
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)]
    if (item === undefined) throw new RangeError('cannot pick from an empty list')
    return item
  }

  /** One of the names, each with a probability in proportion to its weight. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    // the keys of the record are its names
    const names = Object.keys(weights) as Name[]
    let left = this.fraction() * names.reduce((sum, name) => sum + weights[name], 0)
    for (const name of names) {
      left -= weights[name]
      if (left < 0) return name
    }
    return this.pick(names)
  }
}
