import type { ConsoleEvent } from '#contract/runtime-api/audit.ts'
import { CONSOLE_ACTIONS } from '#contract/runtime-api/vocabulary.ts'
import type { Actor } from '../../model/actor.ts'
import { DomainError } from '../../engine/refusals.ts'
import { findScopeOf } from '../../store/visible-scopes.ts'
import { recordAudit } from './record.ts'
import type { Tx } from '../../model/db.ts'

const DONE_BY_CONSOLE = new Set<string>(CONSOLE_ACTIONS)

/**
 * Records what a console did itself, or refused without a request to the runtime, on behalf of the actor. Refuses
 * events that only the runtime can cause with REQUEST_INVALID.
 */
export async function recordConsoleEvent(tx: Tx, actor: Actor, event: ConsoleEvent): Promise<void> {
  const { action, subject, outcome, errorCode, occurrences, operationId, bundleInstallId } = event
  if (outcome === 'DONE' && !DONE_BY_CONSOLE.has(action)) {
    const message = 'A console itself only signs people in and out and keeps saved views and service accounts'
    throw new DomainError('REQUEST_INVALID', `body.outcome: ${message}`, {
      details: [{ path: 'body.outcome', errorCode: 'REQUEST_INVALID', message }],
    })
  }
  const scope = event.scope ?? (await placeOf(tx, event))
  await recordAudit(
    tx,
    { ...actor, requestId: event.requestId, clientAddress: event.clientAddress ?? undefined },
    {
      action,
      subject,
      outcome,
      errorCode,
      occurrences,
      ...(scope && { scope }),
      ...(operationId !== null && { operationId }),
      ...(bundleInstallId !== null && { bundleInstallId }),
    },
  )
}

/** The place of the object, so that people who may read the audit there see the entry. */
async function placeOf(tx: Tx, { operationId, bundleInstallId }: ConsoleEvent) {
  if (operationId !== null) return findScopeOf(tx, { operationId })
  return bundleInstallId === null ? undefined : findScopeOf(tx, { bundleInstallId })
}
