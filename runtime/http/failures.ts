import type { JsonObject } from '#contract/json-schema/json.ts'
import { failureEnvelope } from '#contract/protocol/envelope.ts'
import type { FailureData } from '#contract/protocol/envelope.ts'
import { DETAILS_MAX } from '#contract/protocol/limits.ts'
import { mapMessage } from '#contract/protocol/messages.ts'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { hideInDetail, hideProtectedName } from '#contract/protocol/protected-property.ts'
import { isPgError, PG } from '#database/transaction.ts'
import { whyUnavailable } from '#database/unreachable.ts'
import type { Clock } from '#http-kit/clock.ts'
import { TransportError } from '#http-kit/problem-response.ts'
import { atMost } from '../engine/calls/failures.ts'
import type { DomainError } from '../engine/refusals.ts'
import type { Db } from '../model/db.ts'
import { canGrow } from '../store/database-troubles.ts'

/** Logical names of the two services that answer here. */
type ServiceName = 'bundle-runtime' | 'module-plugin-manager'

/** The failure envelope of a refusal, with its texts cut to the limits of the contract. */
export function refusalEnvelope(refusal: DomainError, service: ServiceName): JsonObject {
  const details = refusal.details
    .slice(0, DETAILS_MAX)
    .map((detail) => mapMessage(hideInDetail(detail), atMost))
  const { message, parameters } = refusal
  const shown = { message, ...(parameters !== undefined && { parameters }) }
  const failure: FailureData = {
    ...mapMessage(shown, (text) => atMost(hideProtectedName(text))),
    retryable: refusal.retryable,
    errorPath: [service],
    ...(details.length > 0 && { details }),
  }
  // contains only strings, flags and lists of them, and no undefined field
  return failureEnvelope(refusal.code, failure) as JsonObject
}

/**
 * The transport error for an unexpected error: 503 if the database cannot serve the request now, with what to do about
 * it if there is something to do; otherwise 500. Neither reveals the cause.
 */
export function toTransportError(error: unknown, space: Pick<SpaceWatch, 'hasSpace'>): TransportError {
  if (error instanceof TransportError) return error
  const unavailable = whyUnavailable(error)
  if (unavailable === null) return new TransportError('INTERNAL_ERROR')
  // a server without space for its log stops, and is then unreachable
  const message = space.hasSpace() ? unavailable.shown : platformMessage('databaseFull')
  return new TransportError('SERVICE_UNAVAILABLE', message, { 'retry-after': '1' })
}

/** The shortest time between two probes. */
const PROBE_INTERVAL_MS = 1_000

/**
 * Whether the database has run out of space: from a statement that fails for lack of space until a probe shows that it
 * can grow again. A successful write proves nothing, since it may fit into an existing page.
 */
export class SpaceWatch {
  private isFull = false
  private lastProbe: { at: number; answer: Promise<boolean> } | null = null
  private readonly clock: Pick<Clock, 'monotonic'>

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.clock = clock
  }

  /** Call this with the error of every failed statement. */
  note(error: unknown): void {
    if (isPgError(error, PG.diskFull)) this.isFull = true
  }

  /** The last known state, without a query. */
  hasSpace(): boolean {
    return !this.isFull
  }

  /** Whether the database is still out of space; probes it at most once a second. */
  async isOut(db: Db): Promise<boolean> {
    if (!this.isFull) return false
    const at = this.clock.monotonic()
    if (this.lastProbe === null || at - this.lastProbe.at >= PROBE_INTERVAL_MS)
      this.lastProbe = { at, answer: canGrow(db).catch(() => false) }
    if (await this.lastProbe.answer) this.isFull = false
    return this.isFull
  }
}
