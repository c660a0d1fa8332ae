import * as z from 'zod'
import { isJsonObject } from '../json-schema/json.ts'
import type { JsonValue } from '../json-schema/json.ts'
import { Json, PropertyName, ResourceLocator } from './keys.ts'
import { ENVELOPE_VERSION, ERROR_CODE_MAX, MESSAGE_MAX } from './limits.ts'

const SUCCESS = '0' as const

/** `0` for success, or an upper-case code such as PROPERTY_INVALID; 1 to 128 characters. */
export const ErrorCode = z
  .string('Must be a string')
  .max(ERROR_CODE_MAX, `Must be at most ${ERROR_CODE_MAX} characters`)
  .regex(
    /^(?:0|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*)$/,
    'Must be 0, or upper-case words and digits joined by _, beginning with a letter',
  )
export type ErrorCode = z.infer<typeof ErrorCode>

/** Safe to show to people; 1 to 512 characters. */
export const Message = z
  .string('Must be a string')
  .min(1, 'Must not be empty')
  // The protocol counts characters; one can take two units of a JavaScript string.
  .refine((text) => text.length <= MESSAGE_MAX || [...text].length <= MESSAGE_MAX, {
    message: `Must be at most ${MESSAGE_MAX} characters`,
  })
  .meta({ maxLength: MESSAGE_MAX })
export type Message = z.infer<typeof Message>

/** The reason of a platform message and what its sentence names; see PLATFORM_MESSAGES. */
export const MessageParameters = z.record(z.string(), z.union([z.string(), z.number()]))
export type MessageParameters = z.infer<typeof MessageParameters>

/** One of several problems, so that each can be shown at its own field; `path` is a JSON pointer into that value. */
export const Detail = z.object({
  locator: ResourceLocator.optional(),
  property: PropertyName.optional(),
  path: z.string().optional(),
  errorCode: ErrorCode,
  message: Message,
  parameters: MessageParameters.optional(),
})
export type Detail = z.infer<typeof Detail>

/** Logical names from the outermost service to the source; never a host, and never used to classify. */
export const ErrorPath = z
  .array(
    z.string().regex(/^[^\s\p{Cc}]+$/u, 'Must not be empty or contain white space or control characters'),
    'Must be a list of strings',
  )
  .min(1, 'Must have at least 1 item')
export type ErrorPath = z.infer<typeof ErrorPath>

/**
 * The data of a failure. `retryable`: the same operation, with the same input and authorization, can succeed later.
 * Unknown properties are ignored. `details` and `parameters` are our extensions, so foreign properties of these names are
 * ignored too.
 */
export const FailureData = z.object({
  message: Message,
  retryable: z.boolean('Must be true or false'),
  errorPath: ErrorPath.optional(),
  details: z.array(Detail).optional().catch(undefined),
  parameters: MessageParameters.optional().catch(undefined),
})
export type FailureData = z.infer<typeof FailureData>

/** The response envelope. An absent contractVersion means 1.0.0; unknown top-level fields are ignored. */
export const Envelope = z.object({
  contractVersion: z
    .literal(ENVELOPE_VERSION, `Must be ${ENVELOPE_VERSION} or absent`)
    .default(ENVELOPE_VERSION),
  errorCode: ErrorCode,
  data: Json,
})
export type Envelope = z.infer<typeof Envelope>

export type EnvelopeReading =
  | { kind: 'success'; data: JsonValue }
  | { kind: 'failure'; errorCode: ErrorCode; failure: FailureData | null }
  | { kind: 'invalid'; problem: string }

/** The reading of a response body with status 200. `problem` names the field and what is allowed there, never the value. */
export function readEnvelope(json: unknown): EnvelopeReading {
  const envelope = Envelope.safeParse(json)
  // its data have a contractVersion of their own, which would be named instead
  if (isJsonObject(json) && !Object.hasOwn(json, 'errorCode'))
    return { kind: 'invalid', problem: 'The envelope {errorCode, data, contractVersion} is missing' }
  if (!envelope.success) return { kind: 'invalid', problem: describeIssue(envelope.error, []) }
  const { errorCode, data } = envelope.data
  if (errorCode === SUCCESS) return { kind: 'success', data }
  if (data === null) return { kind: 'failure', errorCode, failure: null }
  const failure = FailureData.safeParse(data)
  if (!failure.success) return { kind: 'invalid', problem: describeIssue(failure.error, ['data']) }
  const { details, ...rest } = failure.data
  return { kind: 'failure', errorCode, failure: details === undefined ? rest : { ...rest, details } }
}

function describeIssue(error: z.ZodError, at: string[]): string {
  const issue = error.issues[0]
  const path = [...at, ...(issue?.path ?? [])].join('.')
  return path === '' ? 'The body is not an envelope object' : `${path}: ${issue?.message ?? 'is not valid'}`
}

export const successEnvelope = <Payload>(data: Payload) => ({
  errorCode: SUCCESS,
  data,
  contractVersion: ENVELOPE_VERSION,
})

export const failureEnvelope = (errorCode: string, failure: FailureData | null) => ({
  errorCode,
  data: failure,
  contractVersion: ENVELOPE_VERSION,
})
