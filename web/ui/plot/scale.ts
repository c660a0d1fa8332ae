/**
 * Round numbers from zero to at least the largest value, in at most one step more than `steps`. Those of a large value need
 * one decimal at most.
 */
export function valueTicks(
  largest: number,
  { whole = false, steps = 4 }: { whole?: boolean; steps?: number } = {},
): number[] {
  const reach = largest > 0 ? largest : 1
  const rough = reach / steps
  const power = 10 ** Math.floor(Math.log10(rough))
  const round = [1, 2, ...(power < 1 ? [] : [2.5]), 5, 10].map((factor) => factor * power)
  const step = round.find((size) => size >= rough && (!whole || Number.isInteger(size))) ?? 1
  const count = Math.max(1, Math.ceil(reach / step - 1e-9))
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)))
}

/** The runs of values that are there, each with the index of its first one: a line is not drawn across a hole. */
export function unbroken(values: readonly (number | null)[]): { first: number; values: number[] }[] {
  const runs: { first: number; values: number[] }[] = []
  for (const [index, value] of values.entries()) {
    const last = runs.at(-1)
    if (value === null) continue
    if (last && last.first + last.values.length === index) last.values.push(value)
    else runs.push({ first: index, values: [value] })
  }
  return runs
}

/** Which labels of the time axis have space: every n-th of them. */
export function labelStep(room: number, labelWidth: number): number {
  const needed = labelWidth / Math.max(room, 0.01)
  return [1, 2, 3, 4, 6, 8, 12, 24].find((step) => step >= needed) ?? Math.ceil(needed)
}
