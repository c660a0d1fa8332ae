import * as z from 'zod'
import { defineEndpoints } from '#contract/endpoint/endpoint.ts'
import { Json, Key, mapOf, PropertyName } from '#contract/protocol/keys.ts'
import { listOf, pageQuery, Person, Reason, scopeParams, Timestamp } from './common.ts'

/** A runtime-local service: no Module identity, plugin or operation; saved by compare-and-set on its own version. */
export const LocalService = z.object({
  serviceName: Key,
  values: z.record(PropertyName, Json),
  version: z.number().int().nonnegative(),
  savedAt: Timestamp,
  savedBy: Person,
})
export type LocalService = z.infer<typeof LocalService>

const base = '/scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/local-services' as const
const params = scopeParams.extend({ serviceName: Key })

export const localServiceEndpoints = defineEndpoints({
  [`GET ${base}` as const]: {
    summary: 'Local services of a scope',
    access: { needs: 'read', where: 'path' },
    params: scopeParams,
    query: z.strictObject(pageQuery),
    answer: listOf(LocalService),
    codes: [],
  },
  [`GET ${base}/{serviceName}` as const]: {
    summary: 'One local service',
    access: { needs: 'read', where: 'path' },
    params,
    answer: LocalService,
    codes: ['NOT_FOUND'],
  },
  [`PUT ${base}/{serviceName}` as const]: {
    summary: 'Save a local service on top of a named version; version 0 creates it. Starts no operation',
    audit: 'local-service.save',
    access: { needs: 'configuration:write', where: 'path' },
    params,
    body: z.strictObject({
      values: mapOf(PropertyName, Json),
      version: z.number().int().nonnegative(),
      reason: Reason.optional(),
    }),
    answer: LocalService,
    codes: ['NOT_FOUND', 'LOCAL_SERVICE_STALE', 'PROPERTY_PROTECTED', 'IDEMPOTENCY_KEY_REUSED'],
  },
})
