import type { Scope } from '#contract/protocol/scope.ts'
import { subjectOf } from '../catalog/publish.ts'
import type { Attempts } from './handlers.ts'

/** How the audit tells each write that was refused. */
export const attempts: Attempts = {
  'POST /installations': ({ body }) => ({
    action: 'installation.install',
    subject: `${body.bundle.environmentKey}/${body.bundle.bundleId} ${body.targetVersion}`,
    scope: body.scope,
    reason: body.reason ?? null,
  }),
  'POST /installations/{bundleInstallId}/upgrade': ({ params, body }) => ({
    action: 'installation.upgrade',
    subject: `${params.bundleInstallId} → ${body.targetVersion}`,
    bundleInstallId: params.bundleInstallId,
    reason: body.reason ?? null,
  }),
  'POST /installations/{bundleInstallId}/detach': ({ params, body }) => ({
    action: 'installation.detach',
    subject: params.bundleInstallId,
    bundleInstallId: params.bundleInstallId,
    reason: body.reason,
  }),
  'POST /operations/{operationId}/retry': ({ params, body }) => ({
    action: 'operation.retry',
    subject: params.operationId,
    operationId: params.operationId,
    reason: body.reason ?? null,
  }),
  'POST /operations/{operationId}/takeover': ({ params, body }) => ({
    action: 'operation.takeover',
    subject: params.operationId,
    operationId: params.operationId,
    reason: body.reason,
  }),
  'PATCH /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration': ({ params, body }) =>
    savedConfiguration(params, body.reason),
  'PUT /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration': ({ params, body }) =>
    savedConfiguration(params, body.reason),
  'PUT /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/local-services/{serviceName}': ({
    params,
    body,
  }) => ({
    action: 'local-service.save',
    subject: params.serviceName,
    scope: scopeOf(params),
    reason: body.reason ?? null,
  }),
  'PUT /bundles/{environmentKey}/{bundleId}/versions/{version}': ({ params }) => ({
    action: 'bundle.publish',
    subject: subjectOf(params),
  }),
  'PUT /plugins/{pluginId}': ({ params, body }) => ({
    action: 'plugin.save',
    subject: params.pluginId,
    reason: body.reason ?? null,
  }),
  'POST /plugins/{pluginId}/credentials': ({ params, body }) => ({
    action: 'plugin.credential.create',
    subject: params.pluginId,
    reason: body.reason ?? null,
  }),
  'DELETE /plugins/{pluginId}/credentials/{credentialId}': ({ params }) => ({
    action: 'plugin.credential.revoke',
    subject: `${params.pluginId} ${params.credentialId}`,
  }),
  'PUT /services/{serviceId}': ({ params, body }) => ({
    action: 'service.save',
    subject: params.serviceId,
    reason: body.reason ?? null,
  }),
}

function savedConfiguration(
  params: Scope,
  reason: string | undefined,
): ReturnType<Attempts['PUT /services/{serviceId}']> {
  const scope = scopeOf(params)
  return {
    action: 'configuration.save',
    subject: `${scope.environmentKey}/${scope.applicationRuntimeId}/${scope.workspaceId}`,
    scope,
    reason: reason ?? null,
  }
}

function scopeOf({ environmentKey, applicationRuntimeId, workspaceId }: Scope): Scope {
  return { environmentKey, applicationRuntimeId, workspaceId }
}
