import { diceOf } from '../dice.ts'
import type { Dice } from '../dice.ts'

/** A whole number, both ends included. */
export const between = (dice: Dice, least: number, most: number): number =>
  least + dice.below(most - least + 1)

/** Dice of their own, for something that asks at its own pace. */
export const split = (dice: Dice): Dice => diceOf(dice.below(2 ** 32))
