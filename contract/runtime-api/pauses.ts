import * as z from 'zod'
import { defineEndpoints } from '#contract/endpoint/endpoint.ts'
import { Key, Uuid } from '#contract/protocol/keys.ts'
import { Scope } from '#contract/protocol/scope.ts'
import { OPERATION_TYPES } from '#contract/protocol/vocabulary.ts'
import { listOf, operationParams, Person, Reason, scopeFilter, scopeParams, Timestamp } from './common.ts'

/** At most so many are listed, the newest first. */
export const PAUSES_MAX = 200

/** What is paused: until somebody resumes it, no plugin is called for it. A call in flight ends as it does. */
export const Pause = z.object({
  of: z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('OPERATION'),
      operationId: Uuid,
      operationType: z.enum(OPERATION_TYPES),
      /** Of its installation. */
      title: z.string(),
      scope: Scope,
    }),
    z.object({ kind: z.literal('SCOPE'), scope: Scope }),
    z.object({ kind: z.literal('PLUGIN'), pluginId: Key, title: z.string() }),
  ]),
  at: Timestamp,
  by: Person,
  reason: z.string(),
  /** How many unfinished operations that the caller may see it holds now. */
  operations: z.number().int().nonnegative(),
})
export type Pause = z.infer<typeof Pause>

const body = z.strictObject({ reason: Reason })
const answer = z.object({ paused: z.boolean() })
const codes = ['NOT_FOUND', 'REQUEST_INVALID', 'IDEMPOTENCY_KEY_REUSED'] as const

const ofOperation = {
  access: { needs: 'operation:retry', where: 'object' },
  params: operationParams,
  body,
  answer,
  codes,
} as const
const ofScope = {
  access: { needs: 'operation:retry', where: 'path' },
  params: scopeParams,
  body,
  answer,
  codes,
} as const
const ofPlugin = {
  access: { needs: 'plugin:write', where: 'everywhere' },
  params: z.strictObject({ pluginId: Key }),
  body,
  answer,
  codes,
} as const

export const pauseEndpoints = defineEndpoints({
  'GET /pauses': {
    summary: 'What is paused and holds operations up: operations, scopes and plugins',
    access: { needs: 'read', where: 'list' },
    query: z.strictObject({
      ...scopeFilter,
      pluginId: Key.optional(),
      /** Only those that hold this operation: of itself, of its scope, and of the plugin that it calls next. */
      operationId: Uuid.optional(),
    }),
    answer: listOf(Pause),
    codes: [],
  },
  'POST /operations/{operationId}/pause': {
    ...ofOperation,
    summary: 'Pause an unfinished operation: its next plugin call waits until somebody resumes it',
    audit: 'operation.pause',
  },
  'POST /operations/{operationId}/resume': {
    ...ofOperation,
    summary: 'Resume a paused operation',
    audit: 'operation.resume',
  },
  'POST /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/pause': {
    ...ofScope,
    summary: 'Pause a scope: the next plugin calls of its operations, also of later ones, wait',
    audit: 'scope.pause',
  },
  'POST /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/resume': {
    ...ofScope,
    summary: 'Resume a paused scope',
    audit: 'scope.resume',
  },
  'POST /plugins/{pluginId}/pause': {
    ...ofPlugin,
    summary: 'Pause a plugin: it is not called for any operation until somebody resumes it',
    audit: 'plugin.pause',
  },
  'POST /plugins/{pluginId}/resume': {
    ...ofPlugin,
    summary: 'Resume a paused plugin',
    audit: 'plugin.resume',
  },
})
