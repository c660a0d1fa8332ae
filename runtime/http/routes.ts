import type { Trouble } from '#contract/runtime-api/troubles.ts'
import { listAudit } from '../use-cases/audit/list.ts'
import { continueBatch, stopBatch } from '../use-cases/batches/continue-batch.ts'
import { createBatch } from '../use-cases/batches/create-batch.ts'
import { planBatch } from '../use-cases/batches/plan-batch.ts'
import { listBatches, listBatchItems, readBatch } from '../use-cases/batches/read-batches.ts'
import {
  findProperties,
  publishVersion,
  listBundles,
  listVersions,
  readManifest,
  deprecateVersion,
  recallVersion,
  reinstateVersion,
} from '../use-cases/catalog/catalog.ts'
import { applyChangeRequest } from '../use-cases/change-requests/apply.ts'
import {
  listChangePolicies,
  readChangePolicy,
  saveChangePolicy,
} from '../use-cases/change-requests/policies.ts'
import {
  countWaitingChangeRequests,
  listChangeRequests,
  planChangeRequest,
  readChangeRequest,
} from '../use-cases/change-requests/read.ts'
import {
  approveChangeRequest,
  commentChangeRequest,
  createChangeRequest,
  editChangeRequest,
  rebaseChangeRequest,
  rejectChangeRequest,
  scheduleChangeRequest,
  submitChangeRequest,
  unscheduleChangeRequest,
  withdrawChangeRequest,
} from '../use-cases/change-requests/write.ts'
import { readHistory, readHistoryPeople } from '../use-cases/configuration/history.ts'
import {
  listLocalServices,
  readLocalService,
  saveLocalService,
} from '../use-cases/configuration/local-services.ts'
import { planSave } from '../use-cases/configuration/plan-save.ts'
import { listPropertyValues } from '../use-cases/configuration/list-property-values.ts'
import { readConfiguration } from '../use-cases/configuration/read.ts'
import { saveConfiguration, saveFullConfiguration } from '../use-cases/configuration/save.ts'
import { readSnapshot } from '../use-cases/configuration/snapshot.ts'
import { createEventStream } from '../events/stream.ts'
import type { StreamOptions } from '../events/stream.ts'
import { readFollows, removeFollow, saveFollow } from '../use-cases/inbox/follows.ts'
import { markInbox, readInbox, readUnread, snoozeInbox } from '../use-cases/inbox/inbox.ts'
import { readCalendar } from '../use-cases/gate/calendar.ts'
import { listFreezes, readFreeze, removeFreeze, saveFreeze } from '../use-cases/gate/freezes.ts'
import { readRestrictions } from '../use-cases/gate/admit.ts'
import { detach, planDetach } from '../use-cases/installations/detach.ts'
import { install, planInstall } from '../use-cases/installations/install.ts'
import {
  listInstallations,
  listInstalledVersions,
  listVersionsByScope,
  readInstallation,
} from '../use-cases/installations/read.ts'
import {
  pinInstallation,
  protectInstallation,
  unpinInstallation,
  unprotectInstallation,
} from '../use-cases/installations/safeguards.ts'
import { planUpgrade, upgrade } from '../use-cases/installations/upgrade.ts'
import { addNote, assignOperation, assignOperations } from '../use-cases/operations/annotate.ts'
import { countOperations, countMatchingOperations, listOperations } from '../use-cases/operations/list.ts'
import {
  addCauseNote,
  changeCause,
  countFailureHours,
  listCauses,
  readCause,
} from '../use-cases/operations/causes.ts'
import { compareOperations } from '../use-cases/operations/compare-operations.ts'
import { readOperationContext } from '../use-cases/operations/operation-context.ts'
import { listAttempts, readOperation, readReceipt } from '../use-cases/operations/read.ts'
import { attemptNow, stopRetrying, retryOperation } from '../use-cases/operations/runs.ts'
import {
  pauseOperation,
  pausePlugin,
  pauseScope,
  readPauses,
  resumeOperation,
  resumePlugin,
  resumeScope,
} from '../use-cases/operations/pauses.ts'
import { planTakeover, takeOverOperation } from '../use-cases/operations/take-over.ts'
import { listScopes, readSummary } from '../use-cases/overview/overview.ts'
import { readRecovery } from '../use-cases/overview/recovery.ts'
import {
  createCredential,
  revokeCredential,
  listPlugins,
  readPlugin,
  savePlugin,
} from '../use-cases/registry/plugins.ts'
import type { Egress } from '../use-cases/registry/registration.ts'
import { createProbe } from '../use-cases/registry/probe.ts'
import { reinstatePlugin, retirePlugin } from '../use-cases/registry/retirement.ts'
import { listPluginCalls } from '../use-cases/registry/plugin-calls.ts'
import { readPluginHealth } from '../use-cases/registry/plugin-health.ts'
import {
  listPolicies,
  listReports,
  readReport,
  savePolicy,
  uploadReport,
} from '../use-cases/registry/reports.ts'
import {
  readInstallationDependencies,
  readServiceDependencies,
} from '../use-cases/references/read-dependencies.ts'
import { readReferences } from '../use-cases/references/read-references.ts'
import {
  listInstallationReferrers,
  listReferrers,
  listServices,
  readService,
  saveService,
} from '../use-cases/registry/services.ts'
import {
  createWebhook,
  listDeliveries,
  listWebhooks,
  removeWebhook,
  saveWebhook,
  testWebhook,
} from '../use-cases/webhooks/webhooks.ts'
import type { Handlers } from './http-app.ts'

export interface RouteOptions {
  egress: Egress
  stream: StreamOptions
  /** What keeps the platform from working. */
  troubles: () => readonly Trouble[]
}

const scope = '/scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}' as const

/** The use case behind every row of the runtime API. */
export function createHandlers({ egress, stream, troubles }: RouteOptions): Handlers {
  return {
    'GET /summary': readSummary,
    'GET /platform-keys': ({ deps }) => Promise.resolve({ keys: deps.vault.platformKeys() }),
    'GET /troubles': () => Promise.resolve({ items: [...troubles()] }),
    'GET /scopes': listScopes,

    'GET /installations': listInstallations,
    'GET /installed-versions': listInstalledVersions,
    'GET /installed-versions/scopes': listVersionsByScope,
    'GET /installed-properties': findProperties,
    'GET /properties': listPropertyValues,
    'POST /installations': install,
    'POST /installations/plan': planInstall,
    'GET /installations/{bundleInstallId}': readInstallation,
    'POST /installations/{bundleInstallId}/upgrade': upgrade,
    'POST /installations/{bundleInstallId}/upgrade/plan': planUpgrade,
    'POST /installations/{bundleInstallId}/detach': detach,
    'POST /installations/{bundleInstallId}/detach/plan': planDetach,

    'POST /installations/{bundleInstallId}/protect': protectInstallation,
    'POST /installations/{bundleInstallId}/unprotect': unprotectInstallation,
    'POST /installations/{bundleInstallId}/pin': pinInstallation,
    'POST /installations/{bundleInstallId}/unpin': unpinInstallation,

    'GET /operations': listOperations,
    'GET /operations/counts': countOperations,
    'GET /operations/total': countMatchingOperations,
    'GET /operations/{operationId}': readOperation,
    'GET /operations/{operationId}/attempts': listAttempts,
    'GET /operations/{operationId}/context': readOperationContext,
    'GET /operations/{operationId}/comparison': compareOperations,
    'GET /operations/{operationId}/receipt': readReceipt,
    'GET /pauses': readPauses,
    'POST /operations/{operationId}/pause': pauseOperation,
    'POST /operations/{operationId}/resume': resumeOperation,
    'POST /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/pause': pauseScope,
    'POST /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/resume': resumeScope,
    'POST /plugins/{pluginId}/pause': pausePlugin,
    'POST /plugins/{pluginId}/resume': resumePlugin,

    'POST /operations/{operationId}/retry': retryOperation,
    'POST /operations/{operationId}/attempt-now': attemptNow,
    'POST /operations/{operationId}/stop-retrying': stopRetrying,
    'PUT /operations/{operationId}/assignee': assignOperation,
    'POST /operations/assign': assignOperations,
    'POST /operations/{operationId}/notes': addNote,
    'POST /operations/{operationId}/takeover': takeOverOperation,
    'POST /operations/{operationId}/takeover/plan': planTakeover,

    'GET /causes': listCauses,
    'GET /causes/hours': countFailureHours,
    'GET /causes/{causeId}': readCause,
    'PATCH /causes/{causeId}': changeCause,
    'POST /causes/{causeId}/notes': addCauseNote,

    'GET /batches': listBatches,
    'POST /batches': createBatch,
    'POST /batches/plan': planBatch,
    'GET /batches/{batchId}': readBatch,
    'GET /batches/{batchId}/items': listBatchItems,
    'POST /batches/{batchId}/continue': continueBatch,
    'POST /batches/{batchId}/stop': stopBatch,

    'GET /change-requests': listChangeRequests,
    'GET /change-requests/waiting': countWaitingChangeRequests,
    'POST /change-requests': createChangeRequest,
    'GET /change-requests/{changeRequestId}': readChangeRequest,
    'PATCH /change-requests/{changeRequestId}': editChangeRequest,
    'GET /change-requests/{changeRequestId}/plan': planChangeRequest,
    'POST /change-requests/{changeRequestId}/submit': submitChangeRequest,
    'POST /change-requests/{changeRequestId}/approve': approveChangeRequest,
    'POST /change-requests/{changeRequestId}/reject': rejectChangeRequest,
    'POST /change-requests/{changeRequestId}/withdraw': withdrawChangeRequest,
    'POST /change-requests/{changeRequestId}/rebase': rebaseChangeRequest,
    'POST /change-requests/{changeRequestId}/apply': applyChangeRequest,
    'POST /change-requests/{changeRequestId}/schedule': scheduleChangeRequest,
    'POST /change-requests/{changeRequestId}/unschedule': unscheduleChangeRequest,
    'POST /change-requests/{changeRequestId}/comments': commentChangeRequest,
    'GET /change-policies': listChangePolicies,
    'GET /change-policies/{environmentKey}': readChangePolicy,
    'PUT /change-policies/{environmentKey}': saveChangePolicy,

    [`GET ${scope}/configuration` as const]: readConfiguration,
    [`GET ${scope}/configuration/history` as const]: readHistory,
    [`GET ${scope}/configuration/history/people` as const]: readHistoryPeople,
    [`GET ${scope}/configuration/snapshots/{snapshotVersion}` as const]: readSnapshot,
    [`POST ${scope}/configuration/plan` as const]: planSave,
    [`PATCH ${scope}/configuration` as const]: saveConfiguration,
    [`PUT ${scope}/configuration` as const]: saveFullConfiguration,

    [`GET ${scope}/local-services` as const]: listLocalServices,
    [`GET ${scope}/local-services/{serviceName}` as const]: readLocalService,
    [`PUT ${scope}/local-services/{serviceName}` as const]: saveLocalService,

    'GET /bundles': listBundles,
    'GET /bundles/{environmentKey}/{bundleId}/versions': listVersions,
    'GET /bundles/{environmentKey}/{bundleId}/versions/{version}': readManifest,
    'PUT /bundles/{environmentKey}/{bundleId}/versions/{version}': publishVersion,
    'POST /bundles/{environmentKey}/{bundleId}/versions/{version}/deprecate': deprecateVersion,
    'POST /bundles/{environmentKey}/{bundleId}/versions/{version}/recall': recallVersion,
    'POST /bundles/{environmentKey}/{bundleId}/versions/{version}/reinstate': reinstateVersion,

    'GET /plugins': listPlugins,
    'GET /plugins/{pluginId}': readPlugin,
    'GET /plugins/{pluginId}/calls': listPluginCalls,
    'GET /plugins/{pluginId}/health': (context, input) => readPluginHealth(context, input),
    'PUT /plugins/{pluginId}': (context, input) => savePlugin(context, input, egress),
    'POST /plugins/{pluginId}/probe': createProbe(),
    'POST /plugins/{pluginId}/retire': retirePlugin,
    'POST /plugins/{pluginId}/reinstate': reinstatePlugin,
    'POST /plugins/{pluginId}/credentials': createCredential,
    'DELETE /plugins/{pluginId}/credentials/{credentialId}': revokeCredential,

    'GET /plugins/{pluginId}/reports': listReports,
    'GET /plugins/{pluginId}/reports/{version}': readReport,
    'PUT /plugins/{pluginId}/reports/{version}': uploadReport,
    'GET /plugin-policies': listPolicies,
    'PUT /plugin-policies/{environmentKey}': savePolicy,

    'GET /freezes': listFreezes,
    'GET /calendar': readCalendar,
    'GET /freezes/{name}': readFreeze,
    'PUT /freezes/{name}': saveFreeze,
    'DELETE /freezes/{name}': removeFreeze,
    [`GET ${scope}/restrictions` as const]: readRestrictions,

    'GET /services': listServices,
    'GET /services/{serviceId}': readService,
    'PUT /services/{serviceId}': (context, input) => saveService(context, input, egress),
    'GET /services/{serviceId}/referrers': listReferrers,
    'GET /services/{serviceId}/dependencies': readServiceDependencies,
    'GET /installations/{bundleInstallId}/dependencies': readInstallationDependencies,
    'GET /installations/{bundleInstallId}/references': readReferences,
    'GET /installations/{bundleInstallId}/referrers': listInstallationReferrers,

    'GET /inbox': readInbox,
    'GET /inbox/unread': readUnread,
    'GET /recovery': readRecovery,
    'POST /inbox/mark': markInbox,
    'POST /inbox/snooze': snoozeInbox,
    'GET /follows': readFollows,
    'PUT /follows': saveFollow,
    'DELETE /follows/{followId}': removeFollow,

    'GET /webhooks': listWebhooks,
    'POST /webhooks': (context, input) => createWebhook(context, input, egress),
    'PUT /webhooks/{webhookId}': (context, input) => saveWebhook(context, input, egress),
    'DELETE /webhooks/{webhookId}': removeWebhook,
    'POST /webhooks/{webhookId}/test': testWebhook,
    'GET /webhooks/{webhookId}/deliveries': listDeliveries,

    'GET /audit': listAudit,
    'GET /events': createEventStream(stream),
  }
}
