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

/** @param percent 0 to 100, such as 95. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  const value = sorted[Math.ceil((sorted.length * percent) / 100) - 1]
  if (value === undefined) throw new RangeError('There are no values')
  return value
}

export const mean = (values: readonly number[]): number =>
  values.reduce((total, one) => total + one, 0) / values.length

/** Of a mean: that far from it are 19 of 20 repetitions, at most. */
export function interval(values: readonly number[]): [number, number] {
  const center = mean(values)
  const squaredError =
    values.length < 2 ? 0 : mean(values.map((one) => (one - center) ** 2)) / (values.length - 1)
  const margin = 1.96 * Math.sqrt(squaredError)
  return [center - margin, center + margin]
}

export const round = (value: number, digits = 2): number => Number(value.toFixed(digits))

/** Prints results that follow each other; a table that several of them share is printed once. */
export function print(results: readonly Result[]): void {
  for (const [index, { rows, meaning, name, figure, goal }] of results.entries()) {
    if (rows.length > 0 && rows !== results[index - 1]?.rows) console.table(rows)
    console.log(meaning)
    console.log(`${name}: figure ${round(figure)}, goal ${goal}`)
  }
}

/** The parts of a benchmark that `--only` selects: the one with this name; all if it is empty. */
export function selectParts<Part>(parts: Readonly<Record<string, Part>>, only: string): Part[] {
  if (only === '') return Object.values(parts)
  const part = parts[only]
  if (part === undefined) throw new Error(`--only takes one of: ${Object.keys(parts).join(', ')}`)
  return [part]
}
