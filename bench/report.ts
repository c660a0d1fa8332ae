/** The result of a benchmark: the last line names its figure and its goal, so that a machine can read it. */
export interface Result {
  name: string
  rows: Record<string, string | number>[]
  figure: number
  goal: number
  /** What the figure means, in words. */
  meaning: string
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const [low, high] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[middle]]
  if (low === undefined || high === undefined) throw new RangeError('An empty list has no median')
  return (low + high) / 2
}

export const round = (value: number, digits = 2): number => Number(value.toFixed(digits))

export function print(result: Result): void {
  console.table(result.rows)
  console.log(result.meaning)
  console.log(`${result.name}: figure ${round(result.figure)}, goal ${result.goal}`)
}
