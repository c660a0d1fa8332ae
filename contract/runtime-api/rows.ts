import { auditEndpoints } from './audit.ts'
import { batchEndpoints } from './batches.ts'
import { calendarEndpoints } from './calendar.ts'
import { catalogEndpoints } from './catalog.ts'
import { causeEndpoints } from './causes.ts'
import { changePolicyEndpoints } from './change-policies.ts'
import { changeRequestEndpoints } from './change-requests.ts'
import { configurationEndpoints } from './configuration.ts'
import { dependencyEndpoints } from './dependencies.ts'
import { eventEndpoints } from './events.ts'
import { freezeEndpoints } from './freezes.ts'
import { inboxEndpoints } from './inbox.ts'
import { installationEndpoints } from './installations.ts'
import { localServiceEndpoints } from './local-services.ts'
import { operationComparisonEndpoints } from './operation-comparison.ts'
import { operationContextEndpoints } from './operation-context.ts'
import { operationRunEndpoints } from './operation-runs.ts'
import { operationEndpoints } from './operations.ts'
import { pauseEndpoints } from './pauses.ts'
import { platformKeyEndpoints } from './platform-keys.ts'
import { pluginCallEndpoints } from './plugin-calls.ts'
import { pluginHealthEndpoints } from './plugin-health.ts'
import { pluginReportEndpoints } from './plugin-reports.ts'
import { pluginEndpoints } from './plugins.ts'
import { propertyEndpoints } from './properties.ts'
import { receiptEndpoints } from './receipts.ts'
import { protectionEndpoints } from './protection.ts'
import { recoveryEndpoints } from './recovery.ts'
import { referenceEndpoints } from './references.ts'
import { serviceEndpoints } from './services.ts'
import { summaryEndpoints } from './summary.ts'
import { troubleEndpoints } from './troubles.ts'
import type { AuditAction } from './vocabulary.ts'
import { webhookEndpoints } from './webhooks.ts'

/** The whole runtime API below `{platform_api_base}/bundle-runtime/api`, one row per endpoint. */
export const runtimeApi = {
  ...summaryEndpoints,
  ...recoveryEndpoints,
  ...troubleEndpoints,
  ...installationEndpoints,
  ...protectionEndpoints,
  ...operationEndpoints,
  ...operationRunEndpoints,
  ...receiptEndpoints,
  ...operationContextEndpoints,
  ...operationComparisonEndpoints,
  ...causeEndpoints,
  ...batchEndpoints,
  ...changeRequestEndpoints,
  ...changePolicyEndpoints,
  ...configurationEndpoints,
  ...propertyEndpoints,
  ...localServiceEndpoints,
  ...catalogEndpoints,
  ...pluginEndpoints,
  ...pluginHealthEndpoints,
  ...pluginCallEndpoints,
  ...pluginReportEndpoints,
  ...freezeEndpoints,
  ...calendarEndpoints,
  ...pauseEndpoints,
  ...serviceEndpoints,
  ...referenceEndpoints,
  ...dependencyEndpoints,
  ...webhookEndpoints,
  ...inboxEndpoints,
  ...auditEndpoints,
  ...platformKeyEndpoints,
  ...eventEndpoints,
}
export type RuntimeApi = typeof runtimeApi

/** The rows that change something; the type-level counterpart of `isWrite`. */
export type WriteName = {
  [Name in keyof RuntimeApi]: Name extends `GET ${string}`
    ? never
    : RuntimeApi[Name] extends { writesNothing: true } | { ownState: true }
      ? never
      : Name
}[keyof RuntimeApi]

/** The audit action of a write. A write whose row has none does not compile. */
export const auditActionOf = (name: WriteName): AuditAction => runtimeApi[name].audit
