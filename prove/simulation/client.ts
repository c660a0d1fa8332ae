import { PERMISSIONS } from '#contract/endpoint/permission.ts'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import { AUDIT_ACTION_OF } from '#contract/runtime-api/audited-writes.ts'
import { runtimeApi } from '#contract/runtime-api/rows.ts'
import type { WriteName } from '#contract/runtime-api/rows.ts'
import type { Operation } from '#contract/runtime-api/operations.ts'
import { saveConfiguration } from '#runtime/configuration/save.ts'
import type { Input } from '#runtime/context.ts'
import { attempts } from '#runtime/http/attempts.ts'
import type { WriteHandler } from '#runtime/http/handlers.ts'
import { requestText } from '#runtime/http/idempotency-key.ts'
import { writeRow } from '#runtime/http/write-row.ts'
import { detach } from '#runtime/installations/detach.ts'
import { install } from '#runtime/installations/install.ts'
import { upgrade } from '#runtime/installations/upgrade.ts'
import { retryOperation } from '#runtime/operations/retry.ts'
import { takeOverOperation } from '#runtime/operations/take-over.ts'
import type { World } from '#runtime/world.ts'
import type { ClientWrite } from '../invariants/evidence.ts'

const PATCH = 'PATCH /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration'

const USE_CASES = {
  INSTALL: does('POST /installations', install),
  UPGRADE: does('POST /installations/{bundleInstallId}/upgrade', upgrade),
  CONFIGURE: does(PATCH, saveConfiguration),
  DETACH: does('POST /installations/{bundleInstallId}/detach', detach),
  RETRY: does('POST /operations/{operationId}/retry', retryOperation),
  TAKEOVER: does('POST /operations/{operationId}/takeover', takeOverOperation),
}

interface UseCase<Name extends WriteName> {
  name: Name
  perform: WriteHandler<Name>
}

function does<Name extends WriteName>(name: Name, perform: WriteHandler<Name>): UseCase<Name> {
  return { name, perform }
}

export type Asked = {
  [Kind in ClientWrite['kind']]: {
    kind: Kind
    input: (typeof USE_CASES)[Kind] extends UseCase<infer Name> ? Pick<Input<Name>, 'params' | 'body'> : never
  }
}[ClientWrite['kind']]

/** One request of a client that is served by one process, as the HTTP layer does it. Throws where nobody answers. */
export async function serve(
  world: World,
  asked: Asked,
  { key, requestId }: { key: string; requestId: string },
): Promise<JsonObject> {
  // `Asked` has paired the kind with the input of its use case
  const { name, perform } = USE_CASES[asked.kind] as unknown as UseCase<WriteName>
  const { params, body } = asked.input
  const input = { params, query: {}, body } as Input<WriteName>
  const actor = {
    id: 'ada',
    name: 'Ada',
    grants: [{ permissions: [...PERMISSIONS], scope: null }],
    requestId,
  }
  const { answer } = await writeRow({
    world,
    actor,
    key: { actorId: actor.id, endpoint: `${asked.kind} ${JSON.stringify(params)}`, key },
    request: requestText(body as JsonValue),
    access: runtimeApi[name].access,
    params,
    // what a use case answers is JSON, as its row demands
    run: (context) => perform(context, input) as unknown as Promise<JsonValue>,
    forRepeats: (data) => data,
    attempted: () => ({ action: AUDIT_ACTION_OF[name], ...attempts[name](input as never) }),
  })
  return answer as JsonObject
}

/** What an accepted write was told: the operations and, of a save, its snapshot. */
export function readAccepted(data: JsonValue): {
  operations: ClientWrite['operations']
  snapshotVersion: number | null
} {
  // the answers of the six use cases above
  const told = data as unknown as {
    operation?: Operation
    operations?: Operation[]
    snapshotVersion?: number
  }
  const operations = told.operations ?? (told.operation === undefined ? [] : [told.operation])
  return {
    operations: operations.map(({ operationId, operationType, executionSequence }) => ({
      operationId,
      operationType,
      executionSequence,
    })),
    snapshotVersion: told.snapshotVersion ?? null,
  }
}
