import type { Context, Hono } from 'hono'
import type { RequestIdVariables } from '#http-kit/requests.ts'
import type { RuntimeApi, WriteName } from '#contract/runtime-api/rows.ts'
import type { AuditRecord } from '../use-cases/audit/record.ts'
import type { Answer, Input, ReadContext, WriteContext } from '../use-cases/context.ts'
import type { StreamHandler } from '../events/stream.ts'

export interface HttpVariables extends RequestIdVariables {
  /** The row that serves the request, for log and metrics. */
  endpoint: string
  /** The error code of the envelope, for log and metrics. */
  errorCode: string
  actorId: string
  /** The length of an envelope. */
  answerLength?: number
  /** The length of what was read for it and is not in it. */
  readLength?: number
}

export type HttpApp = Hono<{ Variables: HttpVariables }>

export type HttpContext = Context<{ Variables: HttpVariables }>

/** The headers of a request: an assertion has the permissions of the person in each of up to 500 scopes. */
export const HEADER_BYTES_MAX = 512 * 1024

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
