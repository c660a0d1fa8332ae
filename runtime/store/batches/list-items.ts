import { sql } from 'kysely'
import type { MessageParameters } from '#contract/protocol/envelope.ts'
import type { BatchItemState } from '#contract/runtime-api/vocabulary.ts'
import type { Actor } from '../../model/actor.ts'
import type { Db } from '../../model/db.ts'
import { visibleTo } from '../visible.ts'
import { itemCode, itemMessage, itemParameters, itemState } from './item-state.ts'

export interface ItemRow {
  position: number
  target: string
  state: BatchItemState
  operation_id: string | null
  code: string | null
  message: string | null
  parameters: MessageParameters | null
  bundle_install_id: string
  environment_key: string
  application_runtime_id: string
  workspace_id: number
  bundle_environment_key: string
  bundle_id: string
  title: string
  version: string | null
}

/** The items of a batch that the actor may see, in their order, after a position. */
export async function listItems(
  db: Db,
  actor: Actor,
  batchId: string,
  page: { state?: readonly BatchItemState[] | undefined; after: number; limit: number },
): Promise<ItemRow[]> {
  const { rows } = await sql<ItemRow>`
    select item.position, item.target, ${itemState} as state, item.operation_id, ${itemCode} as code,
      ${itemMessage} as message, ${itemParameters} as parameters,
      installation.bundle_install_id, installation.environment_key, installation.application_runtime_id,
      installation.workspace_id, installation.bundle_environment_key, installation.bundle_id, installation.title,
      installation.version
    from runtime.batch_item as item
    join runtime.installation as installation on installation.bundle_install_id = item.bundle_install_id
    left join runtime.operation as operation on operation.operation_id = item.operation_id
    where item.batch_id = ${batchId} and item.position > ${page.after}
      and ${visibleTo(actor, 'read', 'installation')}
      and ${page.state === undefined ? sql`true` : sql`${itemState} = any(${page.state}::text[])`}
    order by item.position
    limit ${page.limit}`.execute(db)
  return rows
}
