import type { Context, Hono } from 'hono'
import type { JsonValue } from '#contract/json-schema/json.ts'
import type { RequestIdVariables } from '#http-kit/requests.ts'

export interface HttpVariables extends RequestIdVariables {
  /** The row that serves the request, for log and metrics. */
  endpoint: string
  /** The error code of the envelope, for log and metrics. */
  errorCode: string
  actorId: string
}

export type HttpApp = Hono<{ Variables: HttpVariables }>

export type HttpContext = Context<{ Variables: HttpVariables }>

/** Sends an envelope: always status 200, never cached. */
export function envelope(c: HttpContext, body: JsonValue): Response {
  if (typeof body === 'object' && body !== null && 'errorCode' in body && typeof body.errorCode === 'string')
    c.set('errorCode', body.errorCode)
  return new Response(JSON.stringify(body), {
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  })
}

/** The headers of a request: an assertion has the permissions of the person in each of up to 500 scopes. */
export const HEADER_BYTES_MAX = 512 * 1024
