import { splitName } from '#contract/endpoint/endpoint.ts'
import { Uuid } from '#contract/protocol/keys.ts'
import { Scope } from '#contract/protocol/scope.ts'
import { runtimeApi } from '#contract/runtime-api/rows.ts'
import type { RuntimeApi } from '#contract/runtime-api/rows.ts'
import type { RefusedRequest } from './recorder.ts'

/**
 * The audit event of a request that was refused before validation. It contains only parts of the request that are
 * known to be valid.
 */
export function refusedRequest(
  name: keyof RuntimeApi,
  { params, body, errorCode }: { params: Record<string, string>; body: unknown; errorCode: string },
): RefusedRequest {
  const scope = Scope.safeParse(hasScope(params) ? scopeInPath(params) : scopeInBody(body))
  const ids = Object.values(params).join('/')
  const row = runtimeApi[name]
  return {
    action: 'audit' in row ? row.audit : 'data.read',
    subject: cleanSubject(ids) || splitName(name).path,
    errorCode,
    scope: scope.success ? scope.data : null,
    bundleInstallId: uuidOf(params['bundleInstallId']),
    operationId: uuidOf(params['operationId']),
  }
}

function hasScope(params: Record<string, string>): boolean {
  return params['workspaceId'] !== undefined
}

function scopeInPath({ environmentKey, applicationRuntimeId, workspaceId }: Record<string, string>) {
  return { environmentKey, applicationRuntimeId, workspaceId: Number(workspaceId) }
}

function scopeInBody(body: unknown): unknown {
  return typeof body === 'object' && body !== null && 'scope' in body ? body.scope : undefined
}

function uuidOf(text: string | undefined): string | null {
  const uuid = Uuid.safeParse(text)
  return uuid.success ? uuid.data : null
}

const MAX_SUBJECT_LENGTH = 200

function cleanSubject(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}]/gu, '')
    .slice(0, MAX_SUBJECT_LENGTH)
}
