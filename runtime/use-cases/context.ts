import type { AnswerOf, BodyOf, ParamsOf, QueryOf } from '#contract/endpoint/endpoint.ts'
import type { RuntimeApi } from '#contract/runtime-api/rows.ts'
import type { Actor } from '../model/actor.ts'
import type { RuntimeDeps } from '../deps/runtime-deps.ts'
import type { Tx } from '../model/db.ts'
import type { Comparing } from './comparisons/compared.ts'

/** The context of a use case that only reads. */
export interface ReadContext {
  deps: RuntimeDeps
  actor: Actor
  /**
   * Counts what the request costs beyond its row, before it is done; a target of a batch that is planned costs one. Throws if the
   * actor has used up their limit, or if this process has too much to do. Absent if nobody waits for a response.
   */
  spendMore?: (cost: number) => void
  /** Counts what was read for an answer that does not show it, in bytes of JSON. */
  hasRead?: (length: number) => void
}

/** A use case that writes runs in one transaction, which its caller opens and commits. */
export interface WriteContext extends ReadContext {
  tx: Tx
  /** What happens before the write shows whether a given value equals a hidden one. */
  comparing: Comparing
  /** It carries out an item of a batch. */
  isItem?: true
  /** It carries out a change request, whose approvals have been counted. */
  isApproved?: true | undefined
  /** As in a `Way`. */
  isStored?: true
  /** Targets of a batch at which others have saved since it was scheduled: they are refused, as items whose turn comes later are. */
  moved?: ReadonlySet<string>
}

/** The parsed request of an endpoint. */
export interface Input<Name extends keyof RuntimeApi> {
  params: ParamsOf<RuntimeApi[Name]>
  query: QueryOf<RuntimeApi[Name]>
  body: BodyOf<RuntimeApi[Name]>
}

/** The `data` that an endpoint returns. */
export type Answer<Name extends keyof RuntimeApi> = AnswerOf<RuntimeApi[Name]>
