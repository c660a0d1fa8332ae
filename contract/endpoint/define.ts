import type { Endpoints } from './endpoint.ts'

/** Keeps the exact type of each row, so that handlers and clients are typed from it. */
export function defineEndpoints<const Rows extends Endpoints>(rows: Rows): Rows {
  return rows
}
