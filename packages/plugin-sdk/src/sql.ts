import type { Awaitable } from './awaitable.ts'

export type SqlValue = string | number | null
export type Row = Record<string, unknown>

/**
 * Runs one statement of the SDK and returns its rows. The SDK writes its statements once, for SQLite and PostgreSQL:
 * parameters are `$1`, `$2`, … in order.
 */
export type RunSql<Tx> = (tx: Tx, sql: string, parameters: readonly SqlValue[]) => Awaitable<Row[]>

/** The SDK's tables in PostgreSQL's words. */
export const toPostgres = (schema: string): string =>
  schema.replaceAll('INTEGER', 'BIGINT').replaceAll(') STRICT, WITHOUT ROWID', ')')

/**
 * A statement with anonymous parameters, and the number of the SDK's parameter that each of them takes. `better-sqlite3`
 * treats numbered parameters (`?1`) as named ones, which it does not bind by position.
 */
export function toSqlite(sql: string): { text: string; order: number[] } {
  const order: number[] = []
  const text = sql.replaceAll(/\$(\d+)/g, (_found, number: string) => {
    order.push(Number(number))
    return '?'
  })
  return { text, order }
}

export const text = (value: unknown): string => (typeof value === 'string' ? value : corrupt())

/** An integer column; PostgreSQL's driver returns those of 64 bits as text. */
export function integer(value: unknown): number {
  const number = typeof value === 'string' ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : corrupt()
}

export const orNull = <Value>(read: (value: unknown) => Value, value: unknown): Value | null =>
  value === null ? null : read(value)

export const oneOf = <Name extends string>(names: readonly Name[], value: unknown): Name =>
  names.find((name) => name === value) ?? corrupt()

function corrupt(): never {
  throw new Error('The tables of the plugin SDK contain data that it did not write')
}
