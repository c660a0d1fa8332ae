import type { EndpointRow } from '#contract/endpoint/endpoint.ts'
import { PERMISSIONS } from '#contract/endpoint/permission.ts'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import { runtimeApi } from '#contract/runtime-api/rows.ts'
import type { WriteName } from '#contract/runtime-api/rows.ts'
import { saveConfiguration } from '#runtime/use-cases/configuration/save.ts'
import type { Input } from '#runtime/use-cases/context.ts'
import { auditSubjectOf } from '#runtime/http/audit-subjects.ts'
import type { WriteHandler } from '#runtime/http/http-app.ts'
import { requestText } from '#runtime/http/read-request.ts'
import { writeRow } from '#runtime/http/write-row.ts'
import { detach } from '#runtime/use-cases/installations/detach.ts'
import { install } from '#runtime/use-cases/installations/install.ts'
import { upgrade } from '#runtime/use-cases/installations/upgrade.ts'
import { retryOperation } from '#runtime/use-cases/operations/runs.ts'
import { takeOverOperation } from '#runtime/use-cases/operations/take-over.ts'
import type { RuntimeDeps } from '#runtime/deps/runtime-deps.ts'
import type { Actor } from '#runtime/model/actor.ts'
import type { ClientWrite } from '../invariants/evidence.ts'

const PATCH = 'PATCH /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration'

const USE_CASES = {
  INSTALL: useCase('POST /installations', install),
  UPGRADE: useCase('POST /installations/{bundleInstallId}/upgrade', upgrade),
  CONFIGURE: useCase(PATCH, saveConfiguration),
  DETACH: useCase('POST /installations/{bundleInstallId}/detach', detach),
  RETRY: useCase('POST /operations/{operationId}/retry', retryOperation),
  TAKEOVER: useCase('POST /operations/{operationId}/takeover', takeOverOperation),
}

interface UseCase<Name extends WriteName> {
  name: Name
  perform: WriteHandler<Name>
}

function useCase<Name extends WriteName>(name: Name, perform: WriteHandler<Name>): UseCase<Name> {
  return { name, perform }
}

export type WriteRequest = {
  [Kind in ClientWrite['kind']]: {
    kind: Kind
    input: (typeof USE_CASES)[Kind] extends UseCase<infer Name> ? Pick<Input<Name>, 'params' | 'body'> : never
  }
}[ClientWrite['kind']]

/** Serves a request in one process, as the HTTP layer does. Throws if there is no response. */
export function serve(
  deps: RuntimeDeps,
  request: WriteRequest,
  { key, requestId }: { key: string; requestId: string },
): Promise<JsonObject> {
  // `WriteRequest` pairs the kind with the input of its use case
  const { name, perform } = USE_CASES[request.kind] as unknown as UseCase<WriteName>
  const input = request.input as Pick<Input<WriteName>, 'params' | 'body'>
  return serveRow(deps, { name, perform, input }, { actor: actorOf('ada', requestId), key })
}

/** A person with all permissions, who signed in recently. */
export const actorOf = (id: string, requestId: string): Actor => ({
  id,
  name: `${id.slice(0, 1).toUpperCase()}${id.slice(1)}`,
  grants: [{ permissions: [...PERMISSIONS], scope: null }],
  requestId,
  signedInRecently: true,
})

/** Serves any write as any person, and returns the envelope. */
export async function serveRow<Name extends WriteName>(
  deps: RuntimeDeps,
  { name, perform, input: given }: UseCase<Name> & { input: Pick<Input<Name>, 'params' | 'body'> },
  { actor, key }: { actor: Actor; key: string },
): Promise<JsonObject> {
  const { params, body } = given
  const input = { params, query: {}, body } as Input<Name>
  const { answer } = await writeRow({
    deps,
    actor,
    key: { actorId: actor.id, endpoint: `${name} ${JSON.stringify(params)}`, key },
    request: body === undefined ? '' : requestText(body as JsonValue),
    access: runtimeApi[name].access,
    recentSignIn: (runtimeApi[name] as EndpointRow).recentSignIn,
    params,
    // the result of a use case is JSON, as its row requires
    run: (context) => perform(context, input) as unknown as Promise<JsonValue>,
    forRepeats: (data) => data,
    auditSubject: () => auditSubjectOf(name, input),
  })
  return answer as JsonObject
}
