import * as z from 'zod'
import { ErrorCode, Message } from '#contract/protocol/envelope.ts'
import { Json, Key, ResourceLocator } from '#contract/protocol/keys.ts'
import { OperationType, Stage } from '#contract/protocol/lifecycle.ts'
import type { LifecycleRequest } from '#contract/protocol/lifecycle.ts'

/** Milliseconds, up to an hour. */
const Milliseconds = z.number().int().min(0).max(3_600_000)

/** Invalid responses with status 200, in the kinds that a runtime must distinguish. */
export const GARBAGE = [
  // Uncertain: not JSON, or truncated.
  'html',
  'empty',
  'not-json',
  'cut-json',
  'cut-body',
  'too-large',
  // Definite: JSON, but not a valid response.
  'no-envelope',
  'wrong-envelope-version',
  'wrong-operation',
  'wrong-plugin',
  'wrong-stage',
  'wrong-sequence',
  'unknown-outcome',
  'bare-values',
  'not-applied-with-writes',
  'deep',
  // Still valid: fields that a consumer ignores.
  'extra-fields',
] as const
export const Garbage = z.enum(GARBAGE)
export type Garbage = z.infer<typeof Garbage>

const Write = z.strictObject({
  /** Default: the first resource of the call. */
  locator: ResourceLocator.optional(),
  property: z.string().min(1),
  value: Json,
  isSensitive: z.boolean().default(false),
  /** `reference` writes a ServiceReference with `value` as its serviceId, `bare` the value without a wrapper. */
  as: z.enum(['data', 'bare', 'reference']).default('data'),
})
export type Write = z.infer<typeof Write>

/** What happens first: nothing, or the effect including the remembered response, which is then withheld from the caller. */
const afterEffect = { afterEffect: z.boolean().default(false) }

/**
 * How the plugin handles a call. The results of `apply`, `verify`, `not-applied` and `write` are remembered as the
 * protocol requires.
 */
export const Behaviour = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('apply') }),
  z.strictObject({ kind: z.literal('verify') }),
  z.strictObject({ kind: z.literal('not-applied') }),
  // The outcome FAILED; the protocol has no message for it, so the message only goes to the log.
  z.strictObject({ kind: z.literal('fail'), message: z.string().max(512).default('') }),
  z.strictObject({ kind: z.literal('unknown') }),
  z.strictObject({
    kind: z.literal('failure-envelope'),
    errorCode: ErrorCode.default('SCRIPTED_FAILURE'),
    message: Message.default('The script requests this failure'),
    retryable: z.boolean().default(false),
    /** Responds with the code and null instead of failure data. */
    nullData: z.boolean().default(false),
    errorPath: z.array(z.string()).optional(),
  }),
  z.strictObject({ kind: z.literal('write'), writes: z.array(Write).min(1) }),
  // No response for `ms`, then the connection is cut.
  z.strictObject({ kind: z.literal('hang'), ms: Milliseconds.default(600_000), ...afterEffect }),
  // The honest response, byte by byte, spread over `ms`.
  z.strictObject({ kind: z.literal('slow'), ms: Milliseconds }),
  z.strictObject({ kind: z.literal('garbage'), garbage: Garbage, ...afterEffect }),
  z.strictObject({
    kind: z.literal('status'),
    status: z.number().int().min(201).max(599),
    /** Target of a redirect; default: `/redirected` of this plugin, which logs its calls. */
    location: z.string().optional(),
    ...afterEffect,
  }),
  // The connection is destroyed.
  z.strictObject({ kind: z.literal('reset'), ...afterEffect }),
])
export type Behaviour = z.infer<typeof Behaviour>

/** All given conditions must match; without conditions every call matches. */
export const When = z.strictObject({
  environmentKey: Key.optional(),
  applicationRuntimeId: Key.optional(),
  workspaceId: z.number().int().optional(),
  bundleInstallId: z.string().optional(),
  bundleId: Key.optional(),
  operationId: z.string().optional(),
  operationType: OperationType.optional(),
  targetVersion: Key.optional(),
  stage: Stage.optional(),
})
export type When = z.infer<typeof When>

/** One rule of the script: the first one that matches a call and is not used up applies. */
export const Rule = z.strictObject({
  when: When.default({}),
  /** How many calls it applies to; default: no limit. */
  times: z.number().int().min(1).optional(),
  /** Delay before anything is done. */
  delayMs: Milliseconds.default(0),
  behaviour: Behaviour,
})
export type Rule = z.infer<typeof Rule>

export const Script = z.strictObject({ rules: z.array(Rule) })
export type Script = z.infer<typeof Script>

/** The behaviour for calls that no rule matches. */
export const HONEST: Behaviour = { kind: 'apply' }

export function matches(when: When, { installation, operation, stage }: LifecycleRequest): boolean {
  const call = {
    environmentKey: installation.environmentKey,
    applicationRuntimeId: installation.applicationRuntimeId,
    workspaceId: installation.workspaceId,
    bundleInstallId: installation.bundleInstallId,
    bundleId: installation.bundle.bundleId,
    operationId: operation.operationId,
    operationType: operation.operationType,
    targetVersion: operation.targetVersion,
    stage,
  } satisfies Required<{ [name in keyof When]: unknown }>
  // The cast is sound: the object above has every key of `When`.
  return Object.entries(when).every(
    ([name, wanted]) => wanted === undefined || call[name as keyof typeof call] === wanted,
  )
}
