import type { Answer, Input, ReadContext } from '../context.ts'
import { findScope } from '../../store/configuration/scopes.ts'
import { listSavers } from '../../store/configuration/snapshots.ts'
import { notFound } from '../authorize.ts'

type Name = 'GET /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration/history/people'

/** Everyone who has saved a snapshot of a scope: the people by whom its history can be filtered. */
export async function readHistoryPeople({ deps }: ReadContext, input: Input<Name>): Promise<Answer<Name>> {
  const scope = await findScope(deps.db, input.params)
  if (scope === undefined) throw notFound('scope')
  return { items: await listSavers(deps.db, scope.scope_id) }
}
