/** Labels come from fixed sets only (row names, status codes, error codes), so that a scrape stays small. */
export type Labels = Readonly<Record<string, string | number>>

/** A current value or, if its name ends with `_total`, a count since this replica started. */
export interface Gauge {
  name: string
  labels: Labels
  value: number
}
