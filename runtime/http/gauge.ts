/** Labels come from fixed sets only (row names, status codes, error codes), so that a scrape stays small. */
export type Labels = Readonly<Record<string, string | number>>

/** A number as it is now, or, where its name ends with `_total`, since this replica began. */
export interface Gauge {
  name: string
  labels: Labels
  value: number
}
