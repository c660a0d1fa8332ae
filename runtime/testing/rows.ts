import type { JsonObject } from '#contract/json-schema/json.ts'
import { SCOPE, billing } from './bundles.ts'

// Sample calls for every endpoint row, for a runtime with `billing` published. A new row needs a sample here.

/** An id that nothing has. */
const NOBODY = '0199f000-0000-7000-8000-000000000002'

/** Values for all path parameters except the ids of installations and operations. */
export const SAMPLE_PARAMS: Record<string, string | number> = {
  ...SCOPE,
  bundleId: 'billing',
  version: '1.0.0',
  snapshotVersion: 1,
  serviceName: 'search',
  pluginId: 'tenants',
  credentialId: '0199f000-0000-7000-8000-000000000001',
  serviceId: 'mail',
  batchId: NOBODY,
  webhookId: NOBODY,
  causeId: '0123456789abcdef0123456789abcdef',
  changeRequestId: NOBODY,
  followId: NOBODY,
  name: 'year-end',
}

/** The query of each row that requires one. */
export const SAMPLE_QUERIES: Record<string, string> = {
  'GET /calendar': '?from=2026-11-30&days=35&timeZone=UTC',
  'GET /installed-properties': '?q=name',
  'GET /properties': '?bundleId=crm&kind=MODULE&resource=core&property=name',
  'GET /operations/{operationId}/attempts': '?stage=BEFORE_RESOURCES&pluginId=tenants',
}

const scope = '/scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}'
const WEBHOOK = {
  title: 'On call',
  url: 'http://127.0.0.1:1/hook',
  events: ['operation.failed'],
  scope: null,
  retryingAfterMinutes: 30,
}

/** A valid body for each row that has one. */
export const SAMPLE_BODIES: Record<string, JsonObject> = {
  'POST /installations': { scope: { ...SCOPE }, bundle: { ...billing.bundle }, targetVersion: '1.0.0' },
  'POST /installations/{bundleInstallId}/upgrade': { targetVersion: '2.0.0' },
  'POST /installations/{bundleInstallId}/detach': { reason: 'not needed any more' },
  'POST /installations/{bundleInstallId}/protect': { reason: 'it serves everybody' },
  'POST /installations/{bundleInstallId}/unprotect': { reason: 'it moved' },
  'POST /installations/{bundleInstallId}/pin': { versions: '1.4.x', reason: 'it was certified' },
  'POST /installations/{bundleInstallId}/unpin': { reason: 'certified again' },
  'POST /operations/{operationId}/retry': { run: 1 },
  'POST /operations/{operationId}/takeover': { run: 1, reason: 'it cannot end' },
  'POST /installations/plan': { scope: { ...SCOPE }, bundle: { ...billing.bundle }, targetVersion: '1.0.0' },
  'POST /installations/{bundleInstallId}/upgrade/plan': { targetVersion: '2.0.0' },
  'POST /operations/{operationId}/takeover/plan': { run: 1 },
  'POST /inbox/mark': { notificationIds: [NOBODY], read: true },
  'POST /inbox/snooze': { notificationIds: [NOBODY], until: null },
  'PUT /follows': { subject: { kind: 'operation', operationId: NOBODY } },
  'POST /batches': { action: 'DETACH', title: 'Old pilots', targets: [NOBODY], reason: 'not needed' },
  'POST /batches/plan': { action: 'DETACH', title: 'Old pilots', targets: [NOBODY] },
  'POST /batches/{batchId}/continue': {},
  'POST /batches/{batchId}/stop': {},
  'POST /change-requests': {
    kind: 'DETACH',
    title: 'Detach the pilot',
    input: { bundleInstallId: NOBODY },
  },
  'PATCH /change-requests/{changeRequestId}': { kind: 'DETACH', revision: 1, title: 'Detach the old pilot' },
  'POST /change-requests/{changeRequestId}/submit': { revision: 1 },
  'POST /change-requests/{changeRequestId}/approve': { revision: 1, effect: 'what was seen' },
  'POST /change-requests/{changeRequestId}/reject': { revision: 1, comment: 'not now' },
  'POST /change-requests/{changeRequestId}/withdraw': { revision: 1 },
  'POST /change-requests/{changeRequestId}/rebase': { revision: 1 },
  'POST /change-requests/{changeRequestId}/apply': { revision: 1, planToken: 'the plan' },
  'POST /change-requests/{changeRequestId}/schedule': {
    revision: 1,
    notBefore: '2026-01-31T08:00:00.000Z',
    notAfter: '2026-01-31T09:00:00.000Z',
    timeZone: 'Europe/Berlin',
  },
  'POST /change-requests/{changeRequestId}/unschedule': { revision: 1 },
  'POST /change-requests/{changeRequestId}/comments': { text: 'Why now?' },
  'PUT /change-policies/{environmentKey}': {
    requiredFor: ['DETACH'],
    approvals: 1,
    updatedAt: null,
  },
  'POST /operations/{operationId}/attempt-now': { run: 1 },
  'POST /operations/{operationId}/stop-retrying': { run: 1, reason: 'it takes too long' },
  'POST /operations/{operationId}/pause': { reason: 'we look at the plugin' },
  'POST /operations/{operationId}/resume': { reason: 'the plugin works' },
  [`POST ${scope}/pause`]: { reason: 'we look at the plugin' },
  [`POST ${scope}/resume`]: { reason: 'the plugin works' },
  'POST /plugins/{pluginId}/pause': { reason: 'we look at the plugin' },
  'POST /plugins/{pluginId}/resume': { reason: 'the plugin works' },
  'PUT /operations/{operationId}/assignee': { assignee: null, expected: null },
  'POST /operations/{operationId}/notes': { text: 'Called the owner' },
  'POST /operations/assign': { operationIds: [NOBODY], assignee: null },
  'PATCH /causes/{causeId}': { updatedAt: '2026-11-23T05:00:00.000Z', state: 'WAITING' },
  'POST /causes/{causeId}/notes': { text: 'Known since Monday' },
  [`POST ${scope}/configuration/plan`]: { snapshotVersion: 1, changes: {} },
  [`PATCH ${scope}/configuration`]: { snapshotVersion: 1, changes: {} },
  [`PUT ${scope}/configuration`]: { snapshotVersion: 1, resources: {} },
  [`PUT ${scope}/local-services/{serviceName}`]: { values: {}, version: 0 },
  'POST /bundles/{environmentKey}/{bundleId}/versions/{version}/deprecate': { message: 'use 2.0.0' },
  'POST /bundles/{environmentKey}/{bundleId}/versions/{version}/recall': { message: 'it loses data' },
  'POST /bundles/{environmentKey}/{bundleId}/versions/{version}/reinstate': { reason: 'it was repaired' },
  'PUT /bundles/{environmentKey}/{bundleId}/versions/{version}': billing as unknown as JsonObject,
  'PUT /plugins/{pluginId}': { title: 'Tenants', endpoint: 'http://127.0.0.1:1/', enabled: true },
  'POST /plugins/{pluginId}/retire': { reason: 'gone for good', updatedAt: '2026-01-31T08:00:00.000Z' },
  'POST /plugins/{pluginId}/reinstate': { reason: 'it is back', updatedAt: '2026-01-31T08:00:00.000Z' },
  'POST /plugins/{pluginId}/credentials': {},
  'PUT /plugins/{pluginId}/reports/{version}': {
    report: {
      format: 'bundle-console/plugin-check-report',
      version: 1,
      checkerVersion: '0.1.0',
      pluginId: 'tenants',
      startedAt: '2026-11-23T05:00:00.000Z',
      cases: [],
    },
  },
  'PUT /plugin-policies/{environmentKey}': { policy: 'IGNORE' },
  'PUT /freezes/{name}': {
    environments: ['archive'],
    from: '2026-12-20T00:00:00.000Z',
    to: '2027-01-04T00:00:00.000Z',
    timeZone: 'Europe/Berlin',
    blocks: ['CONFIGURE'],
    message: 'Year end',
  },
  'POST /webhooks': WEBHOOK,
  'PUT /webhooks/{webhookId}': { ...WEBHOOK, enabled: true },
  'POST /webhooks/{webhookId}/test': {},
  'PUT /services/{serviceId}': {
    title: 'Mail',
    url: 'http://127.0.0.1:1/mail',
    methods: [],
    owner: null,
    consumers: [],
    enabled: true,
  },
}
