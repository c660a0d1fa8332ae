import { createPublicKey, verify } from 'node:crypto'
import * as z from 'zod'
import { isJsonObject } from '../../../../contract/json-schema/json.ts'
import type { JsonObject, JsonValue } from '../../../../contract/json-schema/json.ts'
import { LifecycleRequest } from '../../../../contract/protocol/lifecycle.ts'
import { BODY_DEPTH_MAX } from '../../../../contract/protocol/limits.ts'
import { readJsonFile, UsageError } from '../profile.ts'
import { isDoneOutcome } from '../wire/read-answer.ts'
import { digestOf } from './digest.ts'

const Json: z.ZodType<JsonValue> = z.json()

const Attempt = z.object({
  attempt: z.number(),
  outcome: z.string().nullable(),
  failure: z
    .object({
      errorCode: z.string(),
      message: z.string(),
      retryable: z.boolean(),
      /** Of a write that was refused; what a plugin sends here is anything. */
      parameters: z.object({ property: z.string(), locator: z.string() }).optional().catch(undefined),
    })
    .nullable(),
  httpStatus: z.number().nullable(),
  response: Json,
})

const Call = z.object({
  pluginId: z.string(),
  outcome: z.string().nullable(),
  request: z.union([LifecycleRequest, z.null()]),
  attempts: z.array(Attempt),
})

const Change = z.object({
  locator: z.string(),
  property: z.string(),
  /** Null if the property had no value. */
  before: Json.nullable(),
})

/** Why a write was refused. */
const RefusedWrite = z.object({
  pluginId: z.string(),
  locator: z.string(),
  permitted: z.object({ writeProperties: z.array(z.string()) }),
})

/** What is used of a receipt; docs/schemas/operation-receipt.json is the whole. */
const Receipt = z.object({
  operation: z.object({
    operationId: z.string(),
    stages: z.array(z.object({ calls: z.array(Call) })),
    /** What the operation changes, with the values before it. */
    changes: z.array(Change).catch([]),
    /** Null if no write was refused, or if the authorization does not name the resource. */
    refusedWrite: RefusedWrite.nullable().catch(null),
  }),
})

/** A call of a plugin that failed in production, masked. */
export const FailedCall = z.object({
  /** The successful calls of the plugin in the operation before it. */
  earlier: z.array(LifecycleRequest),
  request: LifecycleRequest,
  /** What the operation changes, with the values before it. */
  changes: z.array(Change).default([]),
  /** How the last attempt ended, as the runtime recorded it. */
  ended: Attempt,
  /** The properties that the plugin may write, by locator, as far as the receipt tells. */
  permitted: z.record(z.string(), z.array(z.string())).default({}),
})
export type FailedCall = z.infer<typeof FailedCall>

/**
 * Reads a receipt of the console and finds the call that failed.
 *
 * @param pluginId null: the plugin whose call failed.
 * @param keys a file with the public keys of the platform that must have signed it.
 * @throws UsageError if the file is no receipt, was changed since its export, is not signed by these keys, or
 * contains no failed call of the plugin.
 */
export function readReceipt(file: string, pluginId: string | null, keys?: string): FailedCall {
  const json = readUnchanged(file)
  if (keys !== undefined) requireSignature(file, json, keys)
  const reading = Receipt.safeParse(json)
  if (!reading.success) throw notReceipt(file)
  const calls = reading.data.operation.stages
    .flatMap((stage) => stage.calls)
    .filter((call) => pluginId === null || call.pluginId === pluginId)
  const at = calls.findIndex(
    ({ outcome, attempts }) => attempts.length > 0 && !(outcome !== null && isDoneOutcome(outcome)),
  )
  const call = calls[at]
  const ended = call?.attempts.at(-1)
  if (call === undefined || call.request === null || ended === undefined)
    throw new UsageError(
      `The receipt ${file} contains no failed call${pluginId === null ? '' : ` of the plugin ${pluginId}`}. Export an operation that failed.`,
    )
  const earlier = calls
    .slice(0, at)
    .flatMap((one) => (one.pluginId === call.pluginId && one.request !== null ? [one.request] : []))
  const refused = reading.data.operation.refusedWrite
  const permitted =
    refused?.pluginId === call.pluginId ? { [refused.locator]: refused.permitted.writeProperties } : {}
  const { changes } = reading.data.operation
  return { earlier, request: call.request, changes, ended, permitted }
}

/** The JSON of a receipt that nobody has changed since its export. Throws a UsageError. */
function readUnchanged(file: string): JsonObject {
  const json = readJsonFile(
    file,
    { subject: 'The receipt', ifMissing: EXPORT_AGAIN, ifWrong: EXPORT_AGAIN },
    LIMITS,
  )
  if (!isJsonObject(json) || json['format'] !== FORMAT || json['version'] !== 1) throw notReceipt(file)
  const { sha256, ...content } = json
  if (sha256 === undefined) throw new UsageError(`The receipt ${file} has no sha256. ${EXPORT_AGAIN}`)
  if (sha256 !== digestOf(content))
    throw new UsageError(
      `The receipt ${file} was changed after its export: its sha256 does not match. ${EXPORT_AGAIN}`,
    )
  return json
}

const PlatformKeys = z.object({
  keys: z.array(
    z.object({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), kid: z.string(), x: z.string() }),
  ),
})
const Signatures = z.array(z.object({ keyId: z.string(), value: z.string() })).catch([])

/** Refuses a receipt unless a platform with one of these keys has signed what it contains. */
function requireSignature(file: string, receipt: JsonObject, keysFile: string): void {
  const saveAgain = 'Save the answer of GET /api/platform-keys of the console there.'
  const found = readJsonFile(keysFile, { subject: 'The file', ifMissing: saveAgain, ifWrong: saveAgain })
  const platform = PlatformKeys.safeParse(found)
  if (!platform.success) throw new UsageError(`The file ${keysFile} has no platform keys. ${saveAgain}`)
  const { signatures, sha256: _, ...content } = receipt
  const text = Buffer.from(`bundle-console operation receipt\n${digestOf(content)}`)
  const known = Signatures.parse(signatures).flatMap(({ keyId, value }) => {
    const key = platform.data.keys.find(({ kid }) => kid === keyId)
    return key === undefined ? [] : [{ key, value: Buffer.from(value, 'base64url') }]
  })
  if (known.length === 0)
    throw new UsageError(`The receipt ${file} is not signed with a key of ${keysFile}. ${EXPORT_AGAIN}`)
  if (!known.every(({ key, value }) => verify(null, text, createPublicKey({ key, format: 'jwk' }), value)))
    throw new UsageError(
      `The receipt ${file} was changed after its export: its signature does not match. ${EXPORT_AGAIN}`,
    )
}

const EXPORT_AGAIN = 'Export the operation in the console again.'

/** A receipt contains whole requests and responses; only the nesting has a bound: that of a request inside it. */
const LIMITS = { maxDepth: BODY_DEPTH_MAX + 20, maxKeys: Infinity, maxStringBytes: Infinity }

const FORMAT = 'bundle-console/operation-receipt'

const notReceipt = (file: string): UsageError =>
  new UsageError(
    `${file} is not a receipt of version 1. Export the operation in the console, or use a newer plugin-check.`,
  )
