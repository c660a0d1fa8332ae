import type { WriteName } from './rows.ts'
import type { AuditAction } from './vocabulary.ts'

const scope = '/scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}' as const

/** The audit action of each write; a missing one does not compile. */
export const AUDIT_ACTION_OF: Readonly<Record<WriteName, AuditAction>> = {
  'POST /installations': 'installation.install',
  'POST /installations/{bundleInstallId}/upgrade': 'installation.upgrade',
  'POST /installations/{bundleInstallId}/detach': 'installation.detach',
  'POST /operations/{operationId}/retry': 'operation.retry',
  'POST /operations/{operationId}/attempt-now': 'operation.attempt-now',
  'POST /operations/{operationId}/stop-retrying': 'operation.stop-retrying',
  'POST /operations/{operationId}/takeover': 'operation.takeover',
  'PUT /operations/{operationId}/assignee': 'operation.assign',
  'POST /operations/{operationId}/notes': 'operation.note',
  'POST /batches': 'batch.create',
  'POST /batches/{batchId}/continue': 'batch.continue',
  'POST /batches/{batchId}/stop': 'batch.stop',
  [`PATCH ${scope}/configuration` as const]: 'configuration.save',
  [`PUT ${scope}/configuration` as const]: 'configuration.save',
  [`PUT ${scope}/local-services/{serviceName}` as const]: 'local-service.save',
  'PUT /bundles/{environmentKey}/{bundleId}/versions/{version}': 'bundle.publish',
  'PUT /plugins/{pluginId}': 'plugin.save',
  'POST /plugins/{pluginId}/credentials': 'plugin.credential.create',
  'DELETE /plugins/{pluginId}/credentials/{credentialId}': 'plugin.credential.revoke',
  'PUT /plugins/{pluginId}/reports/{version}': 'plugin.report',
  'PUT /plugin-policies/{environmentKey}': 'plugin.policy',
  'PUT /services/{serviceId}': 'service.save',
  'POST /webhooks': 'webhook.create',
  'PUT /webhooks/{webhookId}': 'webhook.save',
  'DELETE /webhooks/{webhookId}': 'webhook.delete',
  'POST /webhooks/{webhookId}/test': 'webhook.test',
}
