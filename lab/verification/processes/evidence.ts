import { clientWrite } from '../invariants/evidence.ts'
import type { ClientWrite, Evidence } from '../invariants/evidence.ts'
import { readJson } from '../invariants/reader.ts'
import type { Reader } from '../invariants/reader.ts'
import { readDeliveries } from './plugin-record.ts'
import type { RetryingClient, SentWrite } from './retrying-client.ts'

/** What clients and plugins observed of a run, for the invariants. */
export async function evidenceOf(
  reader: Reader,
  clients: readonly RetryingClient[],
  pluginFolder: string,
): Promise<Evidence> {
  const text = `select coalesce(json_object_agg(
      concat_ws(' ', environment_key, application_runtime_id, workspace_id), scope_id), '{}')::text as json
    from runtime.scope`
  // the statement builds exactly this shape
  const scopeIds = (await readJson(reader, text, [])) as Record<string, number>
  const writes = clients.flatMap((client) => client.writes.flatMap((sent) => writeOf(sent, scopeIds) ?? []))
  return { deliveries: readDeliveries(pluginFolder), writes, isQuiet: true }
}

const KINDS: Record<string, ClientWrite['kind'] | undefined> = {
  'POST /installations': 'INSTALL',
  'POST /installations/{bundleInstallId}/upgrade': 'UPGRADE',
  'POST /installations/{bundleInstallId}/detach': 'DETACH',
  'POST /operations/{operationId}/retry': 'RETRY',
  'POST /operations/{operationId}/takeover': 'TAKEOVER',
  'PATCH /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration': 'CONFIGURE',
}

/** Null for a write that starts no operation. */
function writeOf(sent: SentWrite, scopeIds: Readonly<Record<string, number>>): ClientWrite | null {
  const kind = KINDS[sent.name]
  if (kind === undefined) return null
  const responses = sent.results.map((result) =>
    result.isDone ? { errorCode: '0', data: result.data } : { errorCode: result.errorCode, data: null },
  )
  const save = kind === 'CONFIGURE' ? saveOf(sent, scopeIds) : null
  return clientWrite({ kind, requestIds: [sent.requestId], responses, save })
}

function saveOf({ params, body }: SentWrite, scopeIds: Readonly<Record<string, number>>) {
  const { environmentKey, applicationRuntimeId, workspaceId } = params
  // a save names the snapshot that it is based on
  const { snapshotVersion: base } = body as { snapshotVersion: number }
  const scopeId = scopeIds[`${environmentKey} ${applicationRuntimeId} ${workspaceId}`]
  // a save of a scope that does not exist was refused
  return scopeId === undefined ? null : { scopeId, base }
}
