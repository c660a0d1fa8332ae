import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'

/** About how many characters of values a page of a list has: one entry alone may have two million. */
const PAGE_CHARACTERS_MAX = 4_000_000

/** With each row, how many there are up to the limit of the list: a full page may have fewer. */
export interface OfFullPage {
  found: number
}

/**
 * The rows until the page is full of values, at least one, in the order of the list. Without this, a few hundred large values would make
 * a response that exhausts the memory, or that no reader accepts. The rows are measured one after the other, so that the values of those
 * that the page does not have are not read.
 *
 * @param rows at most as many as the list reads for a page.
 * @param page the order of the list, and the values of a row as JSON, by columns of the alias `entry`.
 */
export function untilFull<Row>(
  rows: RawBuilder<unknown>,
  page: { order: RawBuilder<unknown>; values: readonly RawBuilder<unknown>[] },
): RawBuilder<Row & OfFullPage> {
  const { order, values } = page
  const characters = sql.join(
    values.map((value) => sql`coalesce(length(${value}::text), 0)`),
    sql` + `,
  )
  return sql<Row & OfFullPage>`
    with recursive entry as materialized (
      select entry.*, (count(*) over ())::int as found, row_number() over (order by ${order}) as place_on_page
      from (${rows}) as entry
    ), measured (place_on_page, characters_before) as (
      select 1::bigint, 0::bigint
      union all
      select measured.place_on_page + 1, measured.characters_before + ${characters}
      from measured join entry on entry.place_on_page = measured.place_on_page
      where measured.characters_before < ${PAGE_CHARACTERS_MAX}
    )
    select entry.* from entry join measured on measured.place_on_page = entry.place_on_page
    where measured.characters_before < ${PAGE_CHARACTERS_MAX}
    order by entry.place_on_page`
}
