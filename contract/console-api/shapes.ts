export type { SessionEntry } from './sessions.ts'
export type { ServiceAccount, ServiceAccountToken } from './service-accounts.ts'
// The runtime shapes that the console API carries, under the names that the browser uses.
export type { RuntimeEvent } from '#contract/runtime-api/events.ts'
export type {
  Attempt,
  Operation,
  SearchReading,
  OperationDetail,
  RefusedWrite,
  PluginCall,
  WireEvidence,
} from '#contract/runtime-api/operations.ts'
export type { Recovery } from '#contract/runtime-api/recovery.ts'
export type { Comparable, OperationComparison } from '#contract/runtime-api/operation-comparison.ts'
export type { ContextCause, OperationContext, ValueRead } from '#contract/runtime-api/operation-context.ts'
export type { Cause, CauseDetail, CauseName, PluginFailures, SolvedBy } from '#contract/runtime-api/causes.ts'
export type { Claim } from '#contract/runtime-api/claim.ts'
export type {
  Installation,
  InstallationDetail,
  InstalledResource,
  InstalledProperty,
  InstalledVersions,
  ScopeVersions,
} from '#contract/runtime-api/installations.ts'
export type {
  Configuration,
  ConfigurationResource,
  Plan,
  Snapshot,
} from '#contract/runtime-api/configuration.ts'
export type { PropertyRow } from '#contract/runtime-api/properties.ts'
export type { Batch, BatchItem, BatchPlan } from '#contract/runtime-api/batches.ts'
export type { ChangePolicy } from '#contract/runtime-api/change-policies.ts'
export type {
  ChangeEntry,
  ChangePlan,
  ChangeRequest,
  ChangeRequestDetail,
  NewChangeRequest,
} from '#contract/runtime-api/change-requests.ts'
export type { OperationPlan, PlannedStage, PlanNotice, PlanProblem } from '#contract/runtime-api/plans.ts'
export type {
  Changes,
  Failure,
  NextStep,
  Person,
  PropertyChange,
  PropertyView,
} from '#contract/runtime-api/common.ts'
export type { OperationReceipt } from '#contract/runtime-api/receipts.ts'
export type { PlatformKey, Signature } from '#contract/runtime-api/platform-keys.ts'
export type { Trouble } from '#contract/runtime-api/troubles.ts'
export type { ScopeRow } from '#contract/runtime-api/summary.ts'
export type { LocalService } from '#contract/runtime-api/local-services.ts'
export type { Bundle, BundleVersion } from '#contract/runtime-api/catalog.ts'
export type { HealthFigures, PluginHealth } from '#contract/runtime-api/plugin-health.ts'
export type { RecordedCalls } from '#contract/runtime-api/plugin-calls.ts'
export type { PluginReport, PluginReportDetail } from '#contract/runtime-api/plugin-reports.ts'
export type { Plugin, PluginCredential, PluginOwner, Runbook } from '#contract/runtime-api/plugins.ts'
export type { DependencyGraph } from '#contract/runtime-api/dependencies.ts'
export type { InstalledReference } from '#contract/runtime-api/references.ts'
export type { Service, Referrer } from '#contract/runtime-api/services.ts'
export type { Pause } from '#contract/runtime-api/pauses.ts'
export type { Calendar } from '#contract/runtime-api/calendar.ts'
export type { Freeze } from '#contract/runtime-api/freezes.ts'
export type { Webhook, WebhookDelivery } from '#contract/runtime-api/webhooks.ts'
export type { AuditEntry } from '#contract/runtime-api/audit.ts'
export type { SavedView } from './saved-views.ts'
export type { Follow, InboxNotification } from '#contract/runtime-api/inbox.ts'
