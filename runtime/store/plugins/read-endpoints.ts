import { sql } from 'kysely'
import type { Db } from '../../model/db.ts'

export interface EndpointRow {
  plugin_id: string
  since: string
  endpoint: string
}

/** The newest endpoints of each plugin of an operation that were in use since the operation was created, newest first. */
export async function readEndpoints(db: Db, operationId: string): Promise<EndpointRow[]> {
  const { rows } = await sql<EndpointRow>`
    select plugin.plugin_id, used.since, used.endpoint
    from (select distinct plugin_id from runtime.plugin_call where operation_id = ${operationId}::uuid) as plugin
    cross join lateral (
      select since, endpoint from (
        select since, endpoint, lag(since, 1, 'infinity') over (order by since desc) as until
        from runtime.plugin_endpoint where plugin_id = plugin.plugin_id
        order by since desc limit 20
      ) as period
      where until > (select created_at from runtime.operation where operation_id = ${operationId}::uuid)
    ) as used
    order by plugin.plugin_id, used.since desc`.execute(db)
  return rows
}
