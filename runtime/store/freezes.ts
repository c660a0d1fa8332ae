import { sql } from 'kysely'
import type { ChangeKind } from '#contract/runtime-api/vocabulary.ts'
import type { Selectable } from 'kysely'
import type { Actor } from '../model/actor.ts'
import type { Db, Tx } from '../model/db.ts'
import type { FreezeSettings } from '../model/freeze.ts'
import type { RuntimeTables } from '../model/tables.ts'

export type FreezeRow = Selectable<RuntimeTables['runtime.change_freeze']>

/**
 * What may refuse changes in an environment now: one statement, because every write reads it. Now is the moment of this statement
 * and not of the start of the transaction, which may have waited for a lock since.
 */
export async function readGate(
  db: Db,
  environmentKey: string,
): Promise<{
  now: string
  freezes: { name: string; settings: FreezeSettings }[]
  /** The kinds of changes that need an approved change request. */
  needsApproval: ChangeKind[]
}> {
  const { rows } = await sql<{
    now: string
    name: string | null
    settings: FreezeSettings | null
    needs_approval: ChangeKind[] | null
  }>`
    select moment.now, standing.name, standing.settings,
      (select required_for from runtime.change_policy where environment_key = ${environmentKey}) as needs_approval
    from (select clock_timestamp() as now) as moment
    left join runtime.change_freeze as standing
      on ${environmentKey} = any (standing.environment_keys)
        and (standing.ends_at is null or standing.ends_at > moment.now)
    order by standing.name`.execute(db)
  return {
    now: rows[0]?.now ?? '',
    needsApproval: rows[0]?.needs_approval ?? [],
    freezes: rows.flatMap(({ name, settings }) =>
      name === null || settings === null ? [] : [{ name, settings }],
    ),
  }
}

/** All freezes by name, and the time of the database. */
export async function selectFreezes(db: Db): Promise<{ now: string; freezes: FreezeRow[] }> {
  const { rows } = await sql<{ now: string }>`select now() as now`.execute(db)
  return {
    now: rows[0]?.now ?? '',
    freezes: await db.selectFrom('runtime.change_freeze').selectAll().orderBy('name').execute(),
  }
}

/** Lets other changes of freezes wait until the transaction ends, and returns how many freezes there are. */
export async function lockFreezes(tx: Tx): Promise<number> {
  await sql`lock table runtime.change_freeze in share row exclusive mode`.execute(tx)
  const { count } = await tx
    .selectFrom('runtime.change_freeze')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

export function findFreeze(db: Db, name: string): Promise<FreezeRow | undefined> {
  return db.selectFrom('runtime.change_freeze').selectAll().where('name', '=', name).executeTakeFirst()
}

/** Stores a freeze in place of an earlier one of this name, and returns it. */
export function putFreeze(
  tx: Tx,
  by: Pick<Actor, 'id' | 'name'>,
  name: string,
  settings: FreezeSettings,
): Promise<FreezeRow> {
  const environments = settings.environments ?? settings.scopes?.map((scope) => scope.environmentKey) ?? []
  const columns = {
    environment_keys: [...new Set(environments)],
    ends_at: settings.to,
    settings: JSON.stringify(settings),
    updated_by_id: by.id,
    updated_by_name: by.name,
  }
  return tx
    .insertInto('runtime.change_freeze')
    .values({ name, ...columns })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet({ ...columns, updated_at: sql<string>`clock_timestamp()` }),
    )
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function deleteFreeze(tx: Tx, name: string): Promise<void> {
  await tx.deleteFrom('runtime.change_freeze').where('name', '=', name).execute()
}
