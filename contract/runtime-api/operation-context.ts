import * as z from 'zod'
import { defineEndpoints } from '#contract/endpoint/endpoint.ts'
import { OPERATION_TYPES, OUTCOMES, STAGES } from '#contract/protocol/vocabulary.ts'
import { AuditChange } from './audit.ts'
import {
  Key,
  operationParams,
  Person,
  PropertyName,
  PropertyView,
  ResourceLocator,
  Timestamp,
  Uuid,
} from './common.ts'
import { Referrer } from './services.ts'
import type { AuditAction } from './vocabulary.ts'

/** The actions on an installation that can change how an operation ends. */
export const INSTALLATION_CAUSES = [
  'configuration.save',
  'installation.install',
  'installation.upgrade',
  'installation.detach',
  'operation.takeover',
] as const satisfies readonly AuditAction[]

/** The actions on a plugin that can. */
export const PLUGIN_CAUSES = [
  'plugin.save',
  'plugin.retire',
  'plugin.reinstate',
  'plugin.credential.create',
  'plugin.credential.revoke',
] as const satisfies readonly AuditAction[]

/** All actions of the audit that can change how an operation ends. */
export const CAUSE_KINDS = [
  ...INSTALLATION_CAUSES,
  ...PLUGIN_CAUSES,
  'plugin.policy',
  'service.save',
] as const satisfies readonly AuditAction[]

/** What can be said of the version that an operation installs. */
export const VERSION_CAUSES = ['bundle.recall'] as const satisfies readonly AuditAction[]

/** A time in which the database accepted no writes, or had no space left. */
export const PROCESS_TROUBLES = ['database.read_only', 'database.full'] as const
export type ProcessTrouble = (typeof PROCESS_TROUBLES)[number]

/** What the platform itself does that can: a start of the runtime, a restore or failover of its database, and its troubles. */
export const PROCESS_CAUSES = ['runtime.start', 'database.recover', ...PROCESS_TROUBLES] as const
export type ProcessCause = (typeof PROCESS_CAUSES)[number]

/**
 * A change of something that the operation depends on: its installation, a plugin that it calls, a service that its
 * properties refer to, the installation that owns such a service, the policy of its environment, or the version that it
 * installs.
 */
export const ContextCause = z.object({
  kind: z.enum([...CAUSE_KINDS, ...VERSION_CAUSES, ...PROCESS_CAUSES]),
  at: Timestamp,
  /** The end of a trouble of the database; absent of anything else. */
  until: Timestamp.optional(),
  /** Null, like `reason` and `link`, if it was made in a scope that the caller may not read. */
  by: Person.nullable(),
  reason: z.string().nullable(),
  /** The plugin, the service, the environment, the version, or the title of the installation. */
  subject: z.string(),
  link: z
    .object({ to: z.enum(['plugin', 'service', 'operation', 'installation']), id: z.string() })
    .nullable(),
  /** While the operation was unfinished, in part or as a whole; false before it and after its end. */
  during: z.boolean(),
  /** Of a registration of a plugin: a call that was made after this and before the operation succeeded, so this alone broke nothing. */
  succeededSince: z.literal(true).optional(),
  /** The first ten. */
  changes: z.array(AuditChange),
})
export type ContextCause = z.infer<typeof ContextCause>

/** A value that the call in question reads and that an earlier call of another plugin in this operation may write. */
export const ValueRead = z.object({
  locator: ResourceLocator,
  property: PropertyName,
  /** What the request has; null if it has no value. Sensitive values are masked. */
  value: PropertyView.nullable(),
  writer: z.object({ pluginId: Key, stage: z.enum(STAGES) }),
  /** WRITTEN by the writer; KEPT, it left the planned value; MISSING, it left the property without a value. */
  kind: z.enum(['WRITTEN', 'KEPT', 'MISSING']),
  /** When the writer's call ended. */
  at: Timestamp.nullable(),
  /**
   * The attempts of the writer's call, the first and the last 20: a lost response has neither outcome nor code. Only with the first
   * value of each kind that the call wrote or left.
   */
  attempts: z.array(
    z.object({
      attempt: z.number().int().positive(),
      outcome: z.enum(OUTCOMES).nullable(),
      errorCode: z.string().nullable(),
      /** The plugin may have acted in it, although it returned no definite result. */
      isUnknown: z.literal(true).optional(),
    }),
  ),
})
export type ValueRead = z.infer<typeof ValueRead>

/** What an operation depended on, from the records of the platform itself. */
export const OperationContext = z.object({
  /** The last operation of the installation before this one that succeeded. */
  lastGood: z
    .object({ operationId: Uuid, operationType: z.enum(OPERATION_TYPES), finishedAt: Timestamp })
    .nullable(),
  /** The causes are those since then: the end of the last good operation, or a week before this one. */
  since: Timestamp,
  /** Newest first, at most 100. */
  causes: z.array(ContextCause),
  hasMore: z.boolean(),
  /** What the call that it is at, or failed at, reads from other plugins of this operation. */
  valuesRead: z.array(ValueRead),
  /** The first references of other installations to services of this one. */
  referrers: z.object({ items: z.array(Referrer), hasMore: z.boolean() }),
})
export type OperationContext = z.infer<typeof OperationContext>

export const operationContextEndpoints = defineEndpoints({
  'GET /operations/{operationId}/context': {
    summary:
      'What changed before and during an operation, the values that its call reads from other plugins, and who depends on its installation',
    access: { needs: 'read', where: 'object' },
    params: operationParams,
    answer: OperationContext,
    codes: ['NOT_FOUND'],
  },
})
