import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { ViewPage } from '#contract/console-api/pages/saved-views.ts'
import type { BffDb, BffTables } from './tables.ts'

export type SavedViewRow = Selectable<BffTables['bff.saved_view']>
export type NewSavedView = Omit<SavedViewRow, 'updated_at'>
/** A person, by identity provider and id. */
type Owner = Pick<SavedViewRow, 'iss' | 'sub'>

/** Holds back other writes to views until the transaction ends, so that limits and names hold. */
export async function lockViews(tx: BffDb): Promise<void> {
  await sql`lock table bff.saved_view in share row exclusive mode`.execute(tx)
}

/** The person's own views and the shared ones of these pages, by name. */
export async function listViews(
  db: BffDb,
  { iss, sub }: Owner,
  pages: readonly ViewPage[],
): Promise<SavedViewRow[]> {
  const { rows } = await sql<SavedViewRow>`
    select * from bff.saved_view
    where page = any(${[...pages]}::text[]) and (is_shared or (iss = ${iss} and sub = ${sub}))
    order by lower(name), view_id`.execute(db)
  return rows
}

/** A view, also one that its reader may not see. */
export async function findView(db: BffDb, viewId: string): Promise<SavedViewRow | null> {
  const { rows } = await sql<SavedViewRow>`
    select * from bff.saved_view where view_id = ${viewId}::uuid`.execute(db)
  return rows[0] ?? null
}

/** How many views the person has, and how many are shared, without `except`. */
export async function countViews(
  tx: BffDb,
  { iss, sub }: Owner,
  except: string,
): Promise<{ own: number; shared: number }> {
  const { rows } = await sql<{ own: number; shared: number }>`
    select count(*) filter (where iss = ${iss} and sub = ${sub})::int4 as own,
      count(*) filter (where is_shared)::int4 as shared
    from bff.saved_view where view_id <> ${except}::uuid`.execute(tx)
  return rows[0] ?? { own: 0, shared: 0 }
}

/** Whether another view on this page that its owner can see, own or shared, has this name. */
export async function isNameTaken(tx: BffDb, view: NewSavedView): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`
    select exists (
      select from bff.saved_view
      where view_id <> ${view.view_id}::uuid and page = ${view.page} and lower(name) = lower(${view.name})
        and (is_shared or (iss = ${view.iss} and sub = ${view.sub}))) as taken`.execute(tx)
  return rows[0]?.taken ?? false
}

/** Stores a new view, or the new settings of one. */
export async function putView(tx: BffDb, view: NewSavedView): Promise<SavedViewRow> {
  const { rows } = await sql<SavedViewRow>`
    insert into bff.saved_view (view_id, iss, sub, owner_name, page, name, search, is_shared,
      request_digest)
    values (${view.view_id}::uuid, ${view.iss}, ${view.sub}, ${view.owner_name}, ${view.page}, ${view.name},
      ${view.search}, ${view.is_shared}, ${view.request_digest})
    on conflict (view_id) do update set
      name = excluded.name, search = excluded.search, is_shared = excluded.is_shared,
      updated_at = clock_timestamp()
    returning *`.execute(tx)
  const [row] = rows
  if (row === undefined) throw new TypeError('an insert that updates on a conflict returns a row')
  return row
}

export async function deleteView(tx: BffDb, viewId: string): Promise<void> {
  await sql`delete from bff.saved_view where view_id = ${viewId}::uuid`.execute(tx)
}
