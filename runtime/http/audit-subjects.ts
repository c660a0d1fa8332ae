import type { Scope } from '#contract/protocol/scope.ts'
import { scopeText } from '#contract/protocol/scope-text.ts'
import { subjectOf } from '../use-cases/catalog/publish.ts'
import type { AuditSubjectDetails, AuditSubjects } from './handlers.ts'

/** How the audit describes each refused write. */
export const auditSubjects: AuditSubjects = {
  'POST /installations': ({ body }) => ({
    subject: `${body.bundle.environmentKey}/${body.bundle.bundleId} ${body.targetVersion}`,
    scope: body.scope,
    reason: body.reason ?? null,
  }),
  'POST /installations/{bundleInstallId}/upgrade': ({ params, body }) => ({
    subject: `${params.bundleInstallId} → ${body.targetVersion}`,
    bundleInstallId: params.bundleInstallId,
    reason: body.reason ?? null,
  }),
  'POST /installations/{bundleInstallId}/detach': ({ params, body }) => ({
    subject: params.bundleInstallId,
    bundleInstallId: params.bundleInstallId,
    reason: body.reason,
  }),
  'POST /operations/{operationId}/retry': ({ params, body }) => ({
    subject: params.operationId,
    operationId: params.operationId,
    reason: body.reason ?? null,
  }),
  'POST /operations/{operationId}/attempt-now': ({ params }) => ({
    subject: params.operationId,
    operationId: params.operationId,
  }),
  'POST /operations/{operationId}/stop-retrying': ({ params, body }) => ({
    subject: params.operationId,
    operationId: params.operationId,
    reason: body.reason,
  }),
  'POST /operations/{operationId}/takeover': ({ params, body }) => ({
    subject: params.operationId,
    operationId: params.operationId,
    reason: body.reason,
  }),
  'PUT /operations/{operationId}/assignee': ({ params }) => ({
    subject: params.operationId,
    operationId: params.operationId,
  }),
  'POST /operations/{operationId}/notes': ({ params, body }) => ({
    subject: params.operationId,
    operationId: params.operationId,
    reason: body.text,
  }),
  'POST /batches': ({ body }) => ({
    subject: `${body.action} ${body.targets.length}`,
    reason: body.reason ?? null,
  }),
  'POST /batches/{batchId}/continue': ({ params, body }) => ({
    subject: params.batchId,
    reason: body.reason ?? null,
  }),
  'POST /batches/{batchId}/stop': ({ params, body }) => ({
    subject: params.batchId,
    reason: body.reason ?? null,
  }),
  'PATCH /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration': ({ params, body }) =>
    savedConfiguration(params, body.reason),
  'PUT /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration': ({ params, body }) =>
    savedConfiguration(params, body.reason),
  'PUT /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/local-services/{serviceName}': ({
    params,
    body,
  }) => ({
    subject: params.serviceName,
    scope: scopeOf(params),
    reason: body.reason ?? null,
  }),
  'PUT /bundles/{environmentKey}/{bundleId}/versions/{version}': ({ params }) => ({
    subject: subjectOf(params),
  }),
  'PUT /plugins/{pluginId}': ({ params, body }) => ({
    subject: params.pluginId,
    reason: body.reason ?? null,
  }),
  'POST /plugins/{pluginId}/credentials': ({ params, body }) => ({
    subject: params.pluginId,
    reason: body.reason ?? null,
  }),
  'DELETE /plugins/{pluginId}/credentials/{credentialId}': ({ params }) => ({
    subject: `${params.pluginId} ${params.credentialId}`,
  }),
  'PUT /plugins/{pluginId}/reports/{version}': ({ params, body }) => ({
    subject: `${params.pluginId} ${params.version}`,
    reason: body.reason ?? null,
  }),
  'PUT /plugin-policies/{environmentKey}': ({ params, body }) => ({
    subject: params.environmentKey,
    reason: body.reason ?? null,
  }),
  'PUT /services/{serviceId}': ({ params, body }) => ({
    subject: params.serviceId,
    reason: body.reason ?? null,
  }),
  'POST /webhooks': ({ body }) => ({ subject: body.title, reason: body.reason ?? null }),
  'PUT /webhooks/{webhookId}': ({ params, body }) => ({
    subject: `${body.title} ${params.webhookId}`,
    reason: body.reason ?? null,
  }),
  'DELETE /webhooks/{webhookId}': ({ params }) => ({ subject: params.webhookId }),
  'POST /webhooks/{webhookId}/test': ({ params }) => ({ subject: params.webhookId }),
}

function savedConfiguration(params: Scope, reason: string | undefined): AuditSubjectDetails {
  const scope = scopeOf(params)
  return {
    subject: scopeText(scope),
    scope,
    reason: reason ?? null,
  }
}

function scopeOf({ environmentKey, applicationRuntimeId, workspaceId }: Scope): Scope {
  return { environmentKey, applicationRuntimeId, workspaceId }
}
