import type { Arbitrary } from 'fast-check'

/** `structured` inputs are values that were valid before a few edits; `bytes` are texts and bytes that were. */
export type Family = 'structured' | 'bytes'

/** One parser or decision that is given whatever an arbitrary makes. */
export interface Target<Input> {
  name: string
  family: Family
  input: Arbitrary<Input>
  /** What is wrong with what it did, or null. Whatever it throws here is wrong too. */
  check(input: Input): string | null | Promise<string | null>
  /** Inputs that once were mistaken; they are tried first, always. */
  regressions?: readonly Input[]
  /** How much of the family's inputs it gets; 1 where absent. */
  share?: number
}

/** A target whose kind of input nobody outside needs to know. */
export interface AnyTarget {
  name: string
  family: Family
  share: number
  run(options: { runs: number; seed: number }): Promise<string | null>
}
