import type { OperationType } from '#contract/protocol/vocabulary.ts'
import type { Operation } from '#contract/runtime-api/operations.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import type { ClientWrite, Evidence } from '../invariants/evidence.ts'
import type { Caller, SentWrite } from './caller.ts'
import { readLedger } from './ledger.ts'

/** What the outside saw of a run, for the checker of invariants. */
export function evidenceOf(
  callers: readonly Caller[],
  ledgerFolder: string,
  scopeIdOf: (scope: Scope) => number,
): Evidence {
  return {
    deliveries: readLedger(ledgerFolder),
    writes: callers.flatMap(({ writes }) => writes.flatMap((sent) => clientWriteOf(sent, scopeIdOf) ?? [])),
    isQuiet: true,
  }
}

const KINDS: Record<string, ClientWrite['kind'] | undefined> = {
  'POST /installations': 'INSTALL',
  'POST /installations/{bundleInstallId}/upgrade': 'UPGRADE',
  'POST /installations/{bundleInstallId}/detach': 'DETACH',
  'POST /operations/{operationId}/retry': 'RETRY',
  'POST /operations/{operationId}/takeover': 'TAKEOVER',
  'PATCH /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration': 'CONFIGURE',
}

/** Null for what makes no operation. */
function clientWriteOf(sent: SentWrite, scopeIdOf: (scope: Scope) => number): ClientWrite | null {
  const kind = KINDS[sent.name]
  if (kind === undefined) return null
  const [first] = sent.answers
  // each of these endpoints answers some of this
  const data = (first?.isDone === true ? first.data : {}) as {
    operation?: Operation
    operations?: Operation[]
    snapshotVersion?: number
  }
  const operations = data.operations ?? (data.operation === undefined ? [] : [data.operation])
  return {
    kind,
    requestIds: [sent.requestId],
    told: first === undefined ? 'unknown' : first.isDone ? 'accepted' : 'refused',
    operations: operations.map(({ operationId, operationType, executionSequence }) => ({
      operationId,
      operationType: operationType satisfies OperationType,
      executionSequence,
    })),
    answers: sent.answers.map((answer) => JSON.stringify(answer)),
    ...(data.snapshotVersion !== undefined && {
      snapshot: snapshotOf(sent, data.snapshotVersion, scopeIdOf),
    }),
  }
}

function snapshotOf(
  { call }: SentWrite,
  version: number,
  scopeIdOf: (scope: Scope) => number,
): NonNullable<ClientWrite['snapshot']> {
  // a save is called with these
  const { params, body } = call as {
    params: { environmentKey: string; applicationRuntimeId: string; workspaceId: string }
    body: { snapshotVersion: number }
  }
  const scopeId = scopeIdOf({ ...params, workspaceId: Number(params.workspaceId) })
  return { scopeId, version, base: body.snapshotVersion }
}
