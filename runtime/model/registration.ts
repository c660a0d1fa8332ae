export interface RegistrationRow {
  plugin_id: string
  endpoint: string
  timeout_ms: number | null
  max_attempts: number | null
  max_backoff_ms: number | null
}

export interface Registrations {
  /** The time of the database. */
  now: string
  byPlugin: ReadonlyMap<string, RegistrationRow>
}
