/** Seeds whose histories once showed a bug, and which; they are always lived. */
export const REGRESSION_SEEDS: readonly { seed: number; found: string }[] = []
