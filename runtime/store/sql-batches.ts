/** PostgreSQL accepts at most 65,535 parameters in one statement, and a row has up to ten. */
const BATCH = 5000

export function* inBatches<Row>(rows: readonly Row[]): Generator<Row[]> {
  for (let start = 0; start < rows.length; start += BATCH) yield rows.slice(start, start + BATCH)
}
