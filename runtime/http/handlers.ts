import type { RuntimeApi, WriteName } from '#contract/runtime-api/rows.ts'
import type { AuditRecord } from '../use-cases/audit/record.ts'
import type { Answer, Input, ReadContext, WriteContext } from '../use-cases/context.ts'
import type { StreamHandler } from '../events/stream.ts'

export type EndpointNameOf = keyof RuntimeApi

export type ReadHandler<Name extends EndpointNameOf> = (
  context: ReadContext,
  input: Input<Name>,
) => Promise<Answer<Name>>

export type WriteHandler<Name extends EndpointNameOf> = (
  context: WriteContext,
  input: Input<Name>,
) => Promise<Answer<Name>>

/** A handler for every row of the runtime API. A missing one is a compile error. */
export type Handlers = {
  [Name in EndpointNameOf]: RuntimeApi[Name] extends { answers: 'events' }
    ? StreamHandler
    : Name extends WriteName
      ? WriteHandler<Name>
      : ReadHandler<Name>
}

/** What a write concerned, for the audit entry of its refusal. */
export type AuditSubject = Omit<AuditRecord, 'outcome' | 'changes' | 'errorCode' | 'occurrences'>
