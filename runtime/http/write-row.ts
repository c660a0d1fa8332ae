import * as z from 'zod'
import type { EndpointRow } from '#contract/endpoint/endpoint.ts'
import { successEnvelope } from '#contract/protocol/envelope.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { inTransaction } from '#database/transaction.ts'
import type { Actor } from '../model/actor.ts'
import { recordAudit } from '../use-cases/audit/record.ts'
import type { WriteContext } from '../use-cases/context.ts'
import { answerOnce } from '../use-cases/idempotency/answer-once.ts'
import type { OnceAnswer } from '../use-cases/idempotency/answer-once.ts'
import type { DomainError } from '../engine/refusals.ts'
import type { IdempotencyKey } from '../store/idempotency.ts'
import { findScopeOf } from '../store/visible-scopes.ts'
import type { RuntimeDeps } from '../deps/runtime-deps.ts'
import type { PersonAccess } from './callers.ts'
import { refusalEnvelope } from './failures.ts'
import type { AuditSubject } from './http-app.ts'
import { WriteComparisons } from '../use-cases/comparisons/comparing.ts'
import { authorizeObject, requireRecentSignIn } from '../use-cases/authorize.ts'
import type { Db } from '../model/db.ts'

export interface WriteCall {
  deps: RuntimeDeps
  actor: Actor
  key: IdempotencyKey
  /** The same text for the same request. */
  request: string
  access: PersonAccess
  recentSignIn: EndpointRow['recentSignIn']
  params: unknown
  /** Performs the write and returns the checked data. */
  run(context: WriteContext): Promise<JsonValue>
  /** The data that a repeat of the call returns. */
  forRepeats(data: JsonValue): JsonValue
  auditSubject(): AuditSubject
}

/** Performs a write once per idempotency key and returns the envelope, also for a refusal. */
export function writeRow(call: WriteCall): Promise<OnceAnswer> {
  const { deps, actor } = call
  const comparisons = new WriteComparisons(deps.vault, actor)
  return answerOnce(deps, {
    key: call.key,
    request: call.request,
    async run(tx) {
      const comparing = comparisons.begin(tx)
      if (call.recentSignIn === 'always') {
        // a person without the permission is not sent to sign in
        await authorizePath(tx, call)
        requireRecentSignIn(actor)
      }
      const data = await call.run({ deps, actor, tx, comparing })
      await comparisons.written(tx)
      return { answer: successEnvelope(data), kept: successEnvelope(call.forRepeats(data)) }
    },
    async refuse(tx, rolledBack) {
      const refusal = await comparisons.refused(tx, rolledBack)
      if (isAudited(refusal)) await recordRefusal(tx, actor, call.auditSubject(), refusal)
      return { answer: refusalEnvelope(refusal, 'bundle-runtime'), code: refusal.code }
    },
    mayRepeat: (tx) => authorizePath(tx, call),
  })
}

/** Records in the audit that somebody tried something without the permission. */
export function recordDenied(
  db: Db,
  actor: Actor,
  auditSubject: AuditSubject,
  refusal: DomainError,
): Promise<void> {
  return inTransaction(db, (tx) => recordRefusal(tx, actor, auditSubject, refusal))
}

/** Input errors and requests for missing objects are not audited. */
function isAudited({ code }: DomainError): boolean {
  return code !== 'NOT_FOUND' && code !== 'REQUEST_INVALID'
}

async function recordRefusal(
  tx: WriteContext['tx'],
  actor: Actor,
  auditSubject: AuditSubject,
  { code }: DomainError,
): Promise<void> {
  const object = PathObject.safeParse(auditSubject)
  const scope = auditSubject.scope ?? (object.success ? await findScopeOf(tx, object.data) : undefined)
  await recordAudit(tx, actor, {
    ...auditSubject,
    ...(scope && { scope }),
    outcome: 'REFUSED',
    errorCode: code,
  })
}

const PathObject = z.union([z.object({ operationId: z.string() }), z.object({ bundleInstallId: z.string() })])

/** The use case checks this itself when it runs. */
async function authorizePath(db: Db, { access, actor, params }: WriteCall): Promise<void> {
  if (access.where === 'object') await authorizeObject(db, actor, access.needs, PathObject.parse(params))
}
