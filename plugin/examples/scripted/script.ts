import * as z from 'zod'
import { ErrorCode, Message } from '#contract/protocol/envelope.ts'
import { Json, Key, ResourceLocator } from '#contract/protocol/keys.ts'
import type { LifecycleRequest } from '#contract/protocol/lifecycle.ts'
import { OperationType, Stage } from '#contract/protocol/operation.ts'

/** Milliseconds, up to an hour. */
const Milliseconds = z.number().int().min(0).max(3_600_000)

/** Answers that are 200 and yet no answer, in the kinds that a runtime must tell apart. */
export const GARBAGE = [
  // Uncertain: not JSON, or cut.
  'html',
  'empty',
  'not-json',
  'cut-json',
  'cut-body',
  'too-large',
  // Definite: JSON, but no valid answer.
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
  // Valid all the same: fields that a consumer ignores.
  'extra-fields',
] as const
export const Garbage = z.enum(GARBAGE)
export type Garbage = z.infer<typeof Garbage>

const Write = z.strictObject({
  /** The first resource of the call unless told. */
  locator: ResourceLocator.optional(),
  property: z.string().min(1),
  value: Json,
  isSensitive: z.boolean().default(false),
  /** `reference` writes a ServiceReference with `value` as its serviceId, `bare` the value without a wrapper. */
  as: z.enum(['data', 'bare', 'reference']).default('data'),
})
export type Write = z.infer<typeof Write>

/** What is done first: nothing, or the effect with the memory of its answer, which is then kept from the caller. */
const afterEffect = { afterEffect: z.boolean().default(false) }

/** What the plugin does with a call. `apply`, `verify`, `not-applied` and `write` are remembered as the protocol says. */
export const Behaviour = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('apply') }),
  z.strictObject({ kind: z.literal('verify') }),
  z.strictObject({ kind: z.literal('not-applied') }),
  // The outcome FAILED; the protocol has no place for a message there, so that it goes into the log alone.
  z.strictObject({ kind: z.literal('fail'), message: z.string().max(512).default('') }),
  z.strictObject({ kind: z.literal('unknown') }),
  z.strictObject({
    kind: z.literal('failure-envelope'),
    errorCode: ErrorCode.default('SCRIPTED_FAILURE'),
    message: Message.default('The script says so'),
    retryable: z.boolean().default(false),
    /** Answers the code with null instead of failure data. */
    nullData: z.boolean().default(false),
    errorPath: z.array(z.string()).optional(),
  }),
  z.strictObject({ kind: z.literal('write'), writes: z.array(Write).min(1) }),
  // No answer for `ms`, then the connection is cut.
  z.strictObject({ kind: z.literal('hang'), ms: Milliseconds.default(600_000), ...afterEffect }),
  // The honest answer, byte by byte, spread over `ms`.
  z.strictObject({ kind: z.literal('slow'), ms: Milliseconds }),
  z.strictObject({ kind: z.literal('garbage'), garbage: Garbage, ...afterEffect }),
  z.strictObject({
    kind: z.literal('status'),
    status: z.number().int().min(201).max(599),
    /** For a redirect; `/redirected` of this plugin unless told, whose calls are logged. */
    location: z.string().optional(),
    ...afterEffect,
  }),
  // The connection is destroyed.
  z.strictObject({ kind: z.literal('reset'), ...afterEffect }),
])
export type Behaviour = z.infer<typeof Behaviour>

/** All that are given must fit; none given fits every call. */
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

/** One rule of the script: the first that fits a call and is not used up decides. */
export const Rule = z.strictObject({
  when: When.default({}),
  /** How many calls it decides; for ever unless told. */
  times: z.number().int().min(1).optional(),
  /** Before anything is done. */
  delayMs: Milliseconds.default(0),
  behaviour: Behaviour,
})
export type Rule = z.infer<typeof Rule>

export const Script = z.strictObject({ rules: z.array(Rule) })
export type Script = z.infer<typeof Script>

/** What is done with a call that no rule fits. */
export const HONEST: Behaviour = { kind: 'apply' }

export function fits(when: When, { installation, operation, stage }: LifecycleRequest): boolean {
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
  // The cast is sound: the object above has every name that `When` has.
  return Object.entries(when).every(
    ([name, wanted]) => wanted === undefined || call[name as keyof typeof call] === wanted,
  )
}
