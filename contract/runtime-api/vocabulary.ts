/** States of an operation: PENDING → RUNNING ⇄ WAITING → SUCCEEDED | FAILED; FAILED → RUNNING | TAKEN_OVER. */
export const OPERATION_STATES = [
  'PENDING',
  'RUNNING',
  'WAITING',
  'SUCCEEDED',
  'FAILED',
  'TAKEN_OVER',
] as const
export type OperationState = (typeof OPERATION_STATES)[number]

/** States in which an operation holds the claim of its installation. */
export const CLAIM_STATES = ['PENDING', 'RUNNING', 'WAITING', 'FAILED'] as const
export type ClaimState = (typeof CLAIM_STATES)[number]

export const PHASES = ['BEFORE_RESOURCES', 'RESOURCES', 'AFTER_RESOURCES', 'DONE'] as const
export type Phase = (typeof PHASES)[number]

/** State of one stage, or of one resource, inside an operation. */
export const STEP_STATES = ['PENDING', 'RUNNING', 'DONE', 'FAILED'] as const
export type StepState = (typeof STEP_STATES)[number]

/** NOT_INSTALLED: the INSTALL has not succeeded yet. */
export const INSTALLATION_STATES = ['NOT_INSTALLED', 'ACTIVE', 'DETACHED'] as const
export type InstallationState = (typeof INSTALLATION_STATES)[number]

/** Why references of a property do not resolve; the first reason that applies. */
export const REFERENCE_REFUSALS = ['INSTALLATION_NOT_ACTIVE', 'NO_PLUGIN', 'NOT_APPLIED'] as const

/** Why a service is not a target of references; the first reason that applies. */
export const TARGET_REFUSALS = ['NOT_REGISTERED', 'NOT_ALLOWED', 'DISABLED', 'OWNER_NOT_ACTIVE'] as const
export type TargetRefusal = (typeof TARGET_REFUSALS)[number]

/** Whether a newer version of the bundle is published, of an ACTIVE installation. */
export const UPGRADES = ['available', 'none'] as const

/** What is said of a published version: better use another one; or never install it again. */
export const STANDINGS = ['DEPRECATED', 'RECALLED'] as const

/** What holds an installation back: it is protected from being detached, or pinned to versions. */
export const SAFEGUARDS = ['protected', 'pinned'] as const

/** Sort orders of the list of installations; the first is the default. */
export const INSTALLATION_SORTS = [
  '-updatedAt',
  'updatedAt',
  'bundleId',
  '-bundleId',
  'version',
  '-version',
] as const

/** Sort orders of the list of operations; the first is the default. Operations that have not ended come last by `finishedAt`. */
export const OPERATION_SORTS = ['-createdAt', 'createdAt', '-finishedAt', 'finishedAt'] as const
export type OperationSort = (typeof OPERATION_SORTS)[number]

/** Operations in doubt that are not over; see docs/operating/recover.md. */
export const IN_DOUBT = ['open'] as const

/**
 * Why the database was recovered: a backup was restored with our command, the database is on another server or timeline, or a
 * person ran the command for it.
 */
export const RECOVERY_CAUSES = ['BACKUP_RESTORED', 'SERVER_CHANGED', 'COMMAND'] as const
export type RecoveryCause = (typeof RECOVERY_CAUSES)[number]

/** More operations are not counted. */
export const OPERATIONS_TOTAL_MAX = 10_000

export const BATCH_ACTIONS = ['RETRY', 'TAKEOVER', 'INSTALL', 'UPGRADE', 'CONFIGURE', 'DETACH'] as const
export type BatchAction = (typeof BATCH_ACTIONS)[number]

/** RUNNING ⇄ PAUSED → DONE | STOPPED. What has started when a batch stops still ends. */
export const BATCH_STATES = ['RUNNING', 'PAUSED', 'STOPPED', 'DONE'] as const
export type BatchState = (typeof BATCH_STATES)[number]

/** Why a batch is paused (FIRST, GRANTS_EXPIRED, DATABASE_RECOVERED) or was stopped (PERSON, FAILURES). */
export const BATCH_REASONS = ['FIRST', 'GRANTS_EXPIRED', 'DATABASE_RECOVERED', 'PERSON', 'FAILURES'] as const
export type BatchReason = (typeof BATCH_REASONS)[number]

/** Why a wave of a batch waits: the soak time, failures of the wave before, or plugins that it called. */
export const WAVE_REASONS = ['SOAK', 'FAILURES', 'PLUGINS'] as const
export type WaveReason = (typeof WAVE_REASONS)[number]

/** PENDING → RUNNING → SUCCEEDED | FAILED; REFUSED if it did not start; SKIPPED if its batch was stopped before. */
export const BATCH_ITEM_STATES = ['PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'REFUSED', 'SKIPPED'] as const
export type BatchItemState = (typeof BATCH_ITEM_STATES)[number]

/** The ways in which something is changed. A TAKEOVER starts a DETACH; each item of a BATCH is a change of its own kind too. */
export const CHANGE_KINDS = ['CONFIGURE', 'INSTALL', 'UPGRADE', 'DETACH', 'TAKEOVER', 'BATCH'] as const
export type ChangeKind = (typeof CHANGE_KINDS)[number]

/** The days of a weekly freeze. */
export const WEEKDAYS = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'] as const
export type Weekday = (typeof WEEKDAYS)[number]

/**
 * States of a change request: DRAFT → OPEN ⇄ CONFLICTED; OPEN ⇄ APPROVED ⇄ SCHEDULED → APPLYING → APPLIED, or another end:
 * REJECTED, WITHDRAWN, EXPIRED (too late for its schedule), REFUSED (it could not be applied). docs/change-requests.md has the table.
 */
export const CHANGE_STATES = [
  'DRAFT',
  'OPEN',
  'CONFLICTED',
  'APPROVED',
  'SCHEDULED',
  'APPLYING',
  'APPLIED',
  'REJECTED',
  'WITHDRAWN',
  'EXPIRED',
  'REFUSED',
] as const
export type ChangeState = (typeof CHANGE_STATES)[number]

/** What happens to a change request, as its history shows it. */
export const CHANGE_EVENTS = [
  'CREATED',
  'EDITED',
  'SUBMITTED',
  // nobody has looked at it for a day
  'REMINDED',
  'COMMENTED',
  'APPROVED',
  'REJECTED',
  'WITHDRAWN',
  'REBASED',
  'CONFLICTED',
  'SCHEDULED',
  'UNSCHEDULED',
  'APPLYING',
  'OVERRIDDEN',
  'APPLIED',
  'EXPIRED',
  'REFUSED',
] as const
export type ChangeEvent = (typeof CHANGE_EVENTS)[number]

/** What a console does itself and reports to the runtime, which records it. */
export const CONSOLE_ACTIONS = [
  'view.create',
  'view.save',
  'view.delete',
  'session.sign-in',
  'session.sign-out',
  'session.end',
  'service-account.create',
  'service-account.save',
  'service-account.delete',
  'service-account.token.create',
  'service-account.token.revoke',
] as const

/** Every action that the audit records. */
export const AUDIT_ACTIONS = [
  'configuration.save',
  'configuration.compare',
  'installation.install',
  'installation.upgrade',
  'installation.detach',
  'installation.protect',
  'installation.unprotect',
  'installation.pin',
  'installation.unpin',
  'operation.retry',
  'operation.attempt-now',
  'operation.stop-retrying',
  'operation.takeover',
  'operation.pause',
  'operation.resume',
  'operation.assign',
  'operation.note',
  'cause.save',
  'cause.note',
  'batch.create',
  'batch.continue',
  'batch.stop',
  'change.create',
  'change.edit',
  'change.submit',
  'change.approve',
  'change.reject',
  'change.withdraw',
  'change.rebase',
  'change.apply',
  'change.schedule',
  'change.unschedule',
  'change.comment',
  'change.policy',
  'scope.pause',
  'scope.resume',
  'local-service.save',
  'bundle.publish',
  'bundle.deprecate',
  'bundle.recall',
  'bundle.reinstate',
  'plugin.save',
  'plugin.pause',
  'plugin.resume',
  'plugin.retire',
  'plugin.reinstate',
  'plugin.credential.create',
  'plugin.credential.revoke',
  'plugin.report',
  'plugin.policy',
  'service.save',
  'freeze.save',
  'freeze.delete',
  'webhook.create',
  'webhook.save',
  'webhook.delete',
  'webhook.test',
  ...CONSOLE_ACTIONS,
  'data.read',
  'retention.run',
  'database.restore',
  'database.failover',
  'database.recover',
] as const
export type AuditAction = (typeof AUDIT_ACTIONS)[number]

/** Who acts next on an operation or an installation. */
export const NEXT_ACTORS = [
  'NOBODY',
  'PLATFORM',
  'SUPPORT',
  'PLUGIN_OWNER',
  'OPERATOR',
  'ADMINISTRATOR',
] as const
export type NextActor = (typeof NEXT_ACTORS)[number]

/** What that actor does next. */
export const NEXT_ACTIONS = [
  'NONE',
  'START',
  'FINISH',
  'REPEAT_CALL',
  'RESUME',
  'RETRY',
  'FIX_CAUSE',
  'CHECK_VALUES',
  'FIX_RESPONSE',
  'FIX_AUTHENTICATION',
  'RESTORE_PLUGIN',
  'CHECK_PLUGIN',
  'CHECK_RESULT',
  'REGISTER_PLUGIN',
  'TAKE_OVER',
  'CHECK_VERSION',
  'CREATE_CREDENTIAL',
  'RESTORE_SERVICE',
  'FIX_ENDPOINT',
  'FIX_TLS',
  'ALLOW_ENDPOINT',
  'CHECK_RUNTIME',
  'CHECK_IN_DOUBT',
] as const
export type NextAction = (typeof NEXT_ACTIONS)[number]

/**
 * Whether a retry of a FAILED operation can help: now, only after somebody has changed something outside of it, or never,
 * because the same request is sent again and its values cannot change any more.
 */
export const RETRY_HELPS = ['YES', 'AFTER_CHANGE', 'NEVER'] as const
export type RetryHelps = (typeof RETRY_HELPS)[number]

/** The calls of plugins to this platform: to resolve a reference, to read their authorization, and the events of a target. */
export const PLUGIN_READS = ['RESOLVE', 'AUTHORIZATION', 'EVENTS'] as const
export type PluginRead = (typeof PLUGIN_READS)[number]

/** Rules of this platform that refuse any call of a plugin, whatever it is about. */
export const REFUSALS_OF_PLUGINS = ['CREDENTIAL_REVOKED', 'PLUGIN_DISABLED'] as const

/** Rules of this platform that refuse calls of plugins. */
export const PLUGIN_REFUSALS = [
  ...REFUSALS_OF_PLUGINS,
  'NOT_AUTHORIZED',
  'INSTALLATION_NOT_ACTIVE',
  'SERVICE_NOT_REGISTERED',
  'SERVICE_NOT_ALLOWED',
  'SERVICE_DISABLED',
  'SERVICE_OWNER_NOT_ACTIVE',
] as const
export type PluginRefusal = (typeof PLUGIN_REFUSALS)[number]

/** The calls between this platform and a plugin: lifecycle calls, and what the plugin reads. */
export const PLUGIN_CALL_KINDS = ['LIFECYCLE', ...PLUGIN_READS] as const
export type PluginCallKind = (typeof PLUGIN_CALL_KINDS)[number]

/**
 * How such a call ended. UNKNOWN: the plugin may have acted without a definite result. REFUSED: this platform refused what the
 * plugin wanted to read. BY_PLATFORM: the plugin is retired, and the platform answered.
 */
export const PLUGIN_CALL_RESULTS = [
  'SUCCEEDED',
  'FAILED',
  'UNKNOWN',
  'REFUSED',
  'IN_PROGRESS',
  'BY_PLATFORM',
] as const
export type PluginCallResult = (typeof PLUGIN_CALL_RESULTS)[number]

/** What an environment does with an operation that calls a plugin version without a passing report. */
export const PLUGIN_POLICIES = ['IGNORE', 'WARN', 'REFUSE'] as const
export type PluginPolicyName = (typeof PLUGIN_POLICIES)[number]

export const HEALTH_RANGE_NAMES = ['hour', 'day', 'week', 'month'] as const
export type HealthRange = (typeof HEALTH_RANGE_NAMES)[number]

/** How far back the health of a plugin goes, and the length of its buckets. Both are in milliseconds. */
export const HEALTH_RANGES: Record<HealthRange, { lengthMs: number; bucketMs: number }> = {
  hour: { lengthMs: 3_600_000, bucketMs: 300_000 },
  day: { lengthMs: 86_400_000, bucketMs: 3_600_000 },
  week: { lengthMs: 604_800_000, bucketMs: 21_600_000 },
  month: { lengthMs: 2_592_000_000, bucketMs: 86_400_000 },
}

/** The start of the first bucket of a range that ends at `until`. Only whole buckets, which can be compared. */
export function healthStart(range: HealthRange, until: number): number {
  const { lengthMs, bucketMs } = HEALTH_RANGES[range]
  return Math.ceil((until - lengthMs) / bucketMs) * bucketMs
}

/**
 * NEW: nobody works on it. TAKEN: its assignee does. WAITING: its assignee waits for somebody else. SOLVED by a retry that
 * succeeded, or as a person says; the next failure makes it NEW.
 */
export const CAUSE_STATES = ['NEW', 'TAKEN', 'WAITING', 'SOLVED'] as const
export type CauseState = (typeof CAUSE_STATES)[number]

/** Characters of whom or what a cause waits for. */
export const WAITING_FOR_MAX = 200

/**
 * What keeps the platform itself from working: the database accepts no writes, or has no space left; or no worker looks for work
 * although operations are due. With STANDBY_UNUSED all works, but the primary serves the reads of the standby.
 */
export const TROUBLES = ['DATABASE_READ_ONLY', 'DATABASE_FULL', 'NO_WORKER', 'STANDBY_UNUSED'] as const
export type TroubleKind = (typeof TROUBLES)[number]

/** What a webhook can report. */
export const NOTIFICATION_EVENTS = [
  'operation.failed',
  'operation.in_doubt',
  'operation.retrying',
  'operation.taken_over',
  'batch.finished',
  'change.requested',
  'change.approved',
  'change.rejected',
  'change.conflicted',
  'change.applied',
  'change.expired',
  'change.overridden',
] as const
export type NotificationEvent = (typeof NOTIFICATION_EVENTS)[number]

/** The form of a notification: the standard JSON, a text for a chat (as Slack reads it), or subject and text for a mail gateway. */
export const WEBHOOK_FORMATS = ['STANDARD', 'CHAT', 'MAIL'] as const
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number]

/** In minutes: a week. */
export const RETRYING_AFTER_MAX = 10_080

/** PENDING until the receiver accepts a notification, or the platform gives up. */
export const DELIVERY_STATES = ['PENDING', 'DELIVERED', 'FAILED'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

/** Characters of a note. */
export const NOTE_MAX = 1_000

/** The value of the filter `assignee` for operations that have none. */
export const UNASSIGNED = '-'

/** The actors of what the runtime and the console do themselves; no person has these IDs. */
export const RUNTIME_ACTOR_ID = 'bundle-runtime'
export const CONSOLE_ACTOR_ID = 'bundle-console'
export const isProgram = (actorId: string): boolean =>
  actorId === RUNTIME_ACTOR_ID || actorId === CONSOLE_ACTOR_ID

/** Whether a value was set in the scope, or is the default of the version that was installed. */
export const VALUE_ORIGINS = ['setHere', 'default'] as const

/** What the inbox of a person reports. */
export const INBOX_EVENTS = [
  'operation.assigned',
  'operation.failed',
  'operation.succeeded',
  'operation.taken_over',
  // nobody has taken its failure
  'operation.escalated',
  'cause.solved',
  // of the person themselves: nobody is notified by it any more
  'escalation.ended',
  'installation.detached',
  'batch.finished',
  // of change requests: what happens to those that the person wrote, an approval of theirs that does not count any more, and what
  // others say about one that the person wrote or commented on
  'change.approved',
  'change.rejected',
  'change.conflicted',
  'change.expired',
  'change.refused',
  'change.outdated',
  'change.commented',
] as const
export type InboxEvent = (typeof INBOX_EVENTS)[number]

/**
 * Why a person is notified: they requested it, approved it or commented on it, it is assigned to them, they follow it, or a
 * follower listed them.
 */
export const INBOX_REASONS = ['requested', 'assigned', 'followed', 'listed', 'approved', 'commented'] as const
export type InboxReason = (typeof INBOX_REASONS)[number]

/** `all` leaves out what is snoozed. */
export const INBOX_VIEWS = ['all', 'unread', 'snoozed'] as const
export type InboxView = (typeof INBOX_VIEWS)[number]

/** In minutes: a week. */
export const ESCALATE_AFTER_MAX = 10_080

/** An escalation ends so long after it was saved last: the runtime does not know whether the follower may still read. */
export const ESCALATES_DAYS = 90

/** How many plugins `GET /causes/hours` lists: those with the most failures. */
export const FAILING_PLUGINS_MAX = 50
