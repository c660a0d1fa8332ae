import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { INSTANCE_REF_PROPERTY } from '#contract/protocol/limits.ts'
import type { LocalService } from '#contract/runtime-api/local-services.ts'
import { fieldChanges, recordAudit } from '../audit/record.ts'
import type { Answer, Input, ReadContext, WriteContext } from '../context.ts'
import { emitEvents } from '../../store/events.ts'
import { DomainError, refuseFor } from '../../engine/refusals.ts'
import {
  findLocalService,
  listLocalServiceRows,
  putLocalService,
} from '../../store/configuration/local-services.ts'
import type { LocalServiceRow } from '../../store/configuration/local-services.ts'
import { findScope, scopeOf, makeScope } from '../../store/configuration/scopes.ts'
import { cursorValues, pageOf } from '../paging.ts'
import { PROTECTED } from '../../engine/changes/check-changes.ts'
import { notFound } from '../authorize.ts'

// A local service of the runtime has no Module identity and no plugin: saving it creates no operation and no
// installation, and does not change the snapshot of the scope.

type List = '/scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/local-services'
type One = `${List}/{serviceName}`

/** Local services of a scope by name; none if the scope does not exist. */
export async function listLocalServices(
  { deps }: ReadContext,
  { params, query }: Input<`GET ${List}`>,
): Promise<Answer<`GET ${List}`>> {
  const after = cursorValues(query.cursor, ['string'])
  const scope = await findScope(deps.db, params)
  if (scope === undefined) return { items: [], nextCursor: null }
  const rows = await listLocalServiceRows(deps.db, scope.scope_id, {
    after: after === null ? undefined : String(after[0]),
    limit: query.limit + 1,
  })
  return pageOf(rows, query.limit, {
    item: localServiceView,
    valuesOf: (row) => [row.service_name],
    found: rows[0]?.found,
  })
}

/** Refuses with NOT_FOUND. */
export async function readLocalService(
  { deps }: ReadContext,
  { params }: Input<`GET ${One}`>,
): Promise<Answer<`GET ${One}`>> {
  const scope = await findScope(deps.db, params)
  const row = scope && (await findLocalService(deps.db, scope.scope_id, params.serviceName))
  if (row === undefined) throw notFound('local service')
  return localServiceView(row)
}

/**
 * Saves on top of the named version; version 0 creates it. Refuses with PROPERTY_PROTECTED, then LOCAL_SERVICE_STALE.
 */
export async function saveLocalService(
  { tx, actor }: WriteContext,
  { params, body }: Input<`PUT ${One}`>,
): Promise<Answer<`PUT ${One}`>> {
  // inside a business value the name has no special meaning
  if (Object.hasOwn(body.values, INSTANCE_REF_PROPERTY)) refuseFor([PROTECTED])
  const scope = await makeScope(tx, params, actor)
  const { serviceName } = params
  const before = await findLocalService(tx, scope.scope_id, serviceName)
  const row = await putLocalService(tx, {
    scopeId: scope.scope_id,
    serviceName,
    values: body.values,
    version: body.version,
    savedBy: actor,
  })
  if (row === undefined) throw staleService(await findLocalService(tx, scope.scope_id, serviceName))
  // the snapshot does not change, so the event makes clients that watch the scope reload
  await emitEvents(tx, [
    {
      kind: 'configuration',
      scopeId: scope.scope_id,
      objectId: String(scope.scope_id),
      version: scope.snapshot_version,
    },
  ])
  await recordAudit(tx, actor, {
    action: 'local-service.save',
    subject: serviceName,
    scope: scopeOf(scope),
    reason: body.reason ?? null,
    // the version that was compared and set is the one that was read
    changes: fieldChanges(before?.values ?? null, body.values),
  })
  return localServiceView(row)
}

function staleService(current: LocalServiceRow | undefined): DomainError {
  return new DomainError(
    'LOCAL_SERVICE_STALE',
    current === undefined
      ? platformMessage('localServiceMissing')
      : platformMessage('localServiceStale', { current: current.version }),
  )
}

function localServiceView(row: LocalServiceRow): LocalService {
  return {
    serviceName: row.service_name,
    values: row.values,
    version: row.version,
    savedAt: row.saved_at,
    savedBy: { id: row.saved_by_id, name: row.saved_by_name },
  }
}
