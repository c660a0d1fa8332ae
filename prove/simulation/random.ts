import type { Random } from '#http-kit/random.ts'

/** Chance from a seed: the same seed gives the same numbers for ever (mulberry32). */
export class Chance implements Random {
  private state: number

  constructor(seed: number) {
    this.state = seed >>> 0
  }

  /** Chance of its own for a part of the history, so that one part that draws more does not change another. */
  fork(name: string): Chance {
    let hash = this.state ^ 0x9e3779b9
    for (const character of name) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193)
    return new Chance(hash ^ (hash >>> 15))
  }

  fraction(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0
    let mixed = this.state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => this.below(256))
  }

  /** A whole number from 0 to `limit` - 1. */
  below(limit: number): number {
    return Math.floor(this.fraction() * limit)
  }

  /** A number from `least` to `most`. */
  between(least: number, most: number): number {
    return least + this.fraction() * (most - least)
  }

  happens(probability: number): boolean {
    return this.fraction() < probability
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)]
    if (item === undefined) throw new RangeError('there is nothing to pick from')
    return item
  }

  /** One of the names, each as often as its weight says. */
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
