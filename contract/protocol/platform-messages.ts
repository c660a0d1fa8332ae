import { CALL_MESSAGES } from './call-messages.ts'
import { CODED_MESSAGES } from './coded-messages.ts'
import { fillTemplate } from './messages.ts'
import type { Placeholders } from './messages.ts'
import { listTypes } from './property-kinds.ts'

/**
 * The English messages of this platform, by reason; `{name}` is replaced by the parameter of that name. A failure contains
 * its reason and parameters in addition to the message, so that a client can show it in another language. A message of a
 * plugin has neither and is shown unchanged.
 */
export const PLATFORM_MESSAGES = {
  ...CALL_MESSAGES,
  ...CODED_MESSAGES,

  retryCannotHelp:
    'A retry sends the same values again, and the plugin says that the same request cannot succeed. Take the operation over, or retry it on its own page.',
  operationAssigned: 'The operation is now assigned to {person}.',
  operationUnassigned: 'The operation is no longer assigned to anyone.',
  causeNotesFull: 'The cause already has {max} notes, the maximum.',
  causeSolutionUnexpected: 'Only a solved cause can have a solution.',
  followsFull: 'You already follow {max} things, the maximum. Stop following one of them first.',
  operationNotesFull: 'The operation already has {max} notes, the maximum.',
  accountNameTaken: 'Another service account has this name. Choose a different one.',
  accountsFull: 'There are already {max} service accounts, the maximum. Delete one first.',
  tokensFull: '{max} tokens of this service account are valid, the maximum. Revoke one first.',
  viewNameTaken: 'Another view of this page has this name. Choose a different one.',
  viewNotYours: 'Only the owner of a shared view or an administrator can change it. Save your own view.',
  viewsFull: 'You already have {max} views, the maximum. Delete one first.',
  sharedViewsFull:
    'There are already {max} shared views, the maximum. Save it without sharing, or delete one first.',
  registrationExists: 'This ID is already registered. Choose another one.',
  registrationStale: 'The registration has changed since you read it. Your change was not saved.',
  webhookStale: 'The webhook has changed since you read it. Your change was not saved.',
  addressNotAllowed:
    'The setting EGRESS_ALLOW does not allow calls to this host and port. Enter another address, or ask the platform team to allow this one.',
  addressNeedsHttps:
    'The setting EGRESS_ALLOW allows calls to this host and port over https only. Enter an https address, or ask the platform team to allow http.',
  addressOfPlatform:
    'This is an address of the platform itself: its console, runtime, or database. Enter the address of the service.',
  personUnknown: 'This person has never signed in, so nothing can be assigned to them.',
  operationFailedAgain:
    'The operation has failed again since you read it: this is run {run}, not run {seen}. Reload it.',

  // versions that have changed
  sequenceUsedUp:
    'The installation has reached the largest execution sequence, {max}, so no operation can start. Nothing was changed. Tell the platform team: normal use never reaches this number.',
  snapshotUsedUp:
    'The configuration of the scope has reached the largest snapshot version, {max}, so nothing more can be saved. Nothing was changed. Tell the platform team: normal use never reaches this number.',
  scopeFull:
    'The values of the scope would have more than {max} MiB, the maximum. Shorten or remove some, or use another scope.',
  snapshotStale:
    'The configuration has changed since you read it: it is now at snapshot {current}. Read it again and apply your changes to it.',
  localServiceMissing: 'The local service does not exist. Save it with version 0 to create it.',
  localServiceStale:
    'The local service has changed since you read it: it is now at version {current}. Read it again and apply your changes to it.',
  versionExists:
    'Version {version} is already published with a different manifest. A published version never changes: publish this one as a new version.',
  upgradeSameVersion: 'The installation is already at version {version}. Choose another version.',

  planStale: 'The plan has changed since you read it. Read the new plan, then confirm it.',
  planTokenInvalid: 'The plan token is not valid. Request a new plan.',
  planSnapshotMoved: 'The configuration was at snapshot {seen} and is now at snapshot {current}.',
  planScopeNew: 'The scope had no configuration and is now at snapshot {current}.',
  planVersionMoved: 'Bundle {bundle} was at version {seen} and is now at version {current}.',
  planRegistrationsMoved: 'The registration or the check of a plugin of bundle {bundle} has changed.',
  planBindingsMoved: 'The plugin bindings of bundle {bundle} have changed.',
  planCallsMoved: 'The plugin calls for bundle {bundle}, or what they may read and write, have changed.',
  planValuesMoved: 'The values for bundle {bundle} have changed since the plan was made.',
  planInstallationNew: 'The plan did not include the installation of bundle {bundle}.',

  planTargetMoved: 'What the batch would do to this target has changed.',
  planBatchTooLarge:
    'The values and definitions of the targets are too large for one plan. Divide the batch into some with fewer targets.',
  planBatchValuesMoved: 'The values of the batch have changed since the plan was made.',
  batchFinished: 'The batch has finished. Nothing is left to stop.',
  batchOperationMoved:
    'The operation was retried after the batch was made, and has failed again: it is now at run {run}, not at run {seen}. Nothing was started.',
  batchItemNotStarted:
    'The runtime tried several times to start this item and failed. Check the runtime’s log.',
  targetNotFound: 'There is no such target, or you are not allowed to see it.',

  // installations
  installationExists:
    'This bundle is already installed in this scope. Upgrade that installation, or detach it first.',
  installationNotActive:
    'The installation is not active: it was detached, or its install never succeeded. Install the bundle again.',
  seedNotDetached:
    'You can copy only from a detached installation of the same bundle. Choose another one, or none.',
  resourceNotOwned:
    'No active installation of this scope owns this resource. Install its bundle, or leave the resource out.',
  resourceNotInVersion: 'This version of the bundle has no such resource. Leave it out.',
  tooManyComparisons:
    'You have tried {limit} different values for this sensitive property within an hour, the maximum: each response reveals whether the value is the saved one. Leave the property out, or try again in {minutes} min.',
  propertyProtected: 'Only the runtime writes a protected property. Leave it out and try again.',
  propertyManaged: 'The manager of this property is {manager}. Leave it out, or take it over with a reason.',
  propertyMissing: 'This version requires a value. Enter one.',
  propertyOfPlugin: 'Plugin {plugin} writes this property; it cannot be changed by hand.',
  propertyRequired: 'Is required and cannot be removed.',
  propertyUnknown: 'The resource has no property of this name.',
  propertyNotSensitive: 'Is not a sensitive property: send the value without isSensitive.',
  valueMissing: 'Must have a value: only a sensitive property can be left without one.',
  domainTaken:
    'The domain {domain} is used by {locator} in {scope}. Enter another one, or remove it there first.',
  domainTakenElsewhere:
    'The domain {domain} is used by another gateway of this environment. Enter another one, or ask an administrator.',
  domainTwice: 'The domain {domain} is entered for more than one gateway. Enter a different one for each.',
  serviceNotUsable: 'The service {service} does not exist, is disabled, or cannot be used by this scope.',

  // plugins without a passing report
  pluginVersionUnknown:
    'Environment {environment} requires a passing plugin-check report, and plugin {plugin} is registered without a version. Register its version and upload the report.',
  pluginReportMissing:
    'Environment {environment} requires a passing plugin-check report, and version {version} of plugin {plugin} has none. Run plugin-check and upload its report.',
  pluginReportNotPassed:
    'Environment {environment} requires a passing plugin-check report, and the last report of version {version} of plugin {plugin} did not pass. Fix the plugin, then upload a new report.',

  changesFrozenForGood: 'Changes are frozen until someone ends the freeze: {text}',
  changeNotDone:
    'Nothing that the change request started has succeeded. Its batch or its operations say why.',
  changePartlyDone:
    'Not everything that the change request started has succeeded. Its batch or its operations say what was not done.',
  overrideNeedsReason: 'Enter a reason for the override.',
  freezeStale: 'The freeze has changed since you read it. Your change was not saved.',
  freezeExists: 'Another freeze has this name. Choose a different one.',
  freezesFull: 'There are already {max} freezes, the maximum. Delete one first.',
  approvalsMissing:
    'The change request has {approvals} of the {needed} approvals that its current effect needs. Ask someone to approve it.',
  changeRequestsFull:
    'You already have {max} change requests that have not ended, the maximum. Withdraw one first.',
  approvalByProgram: 'Only a person can approve a change request, not a service account.',
  approvalIsOwn: 'You wrote or edited this change request, so someone else must approve or reject it.',
  changeStale:
    'The change request has changed since you read it: it is now at revision {current}. Reload it.',
  changeConflicted:
    'Someone else saved values that this change request changes too. Resolve its conflicts first.',
  changeScheduledMoved:
    'Since the change request was written or scheduled, others have changed what it would do or replace, and nobody has approved that. Nothing was started.',
  changeEffectMoved:
    'The effect of the change request has changed since you looked at it. Review its plan again.',
  changeInputOther: 'Must be the input of a change request of this kind.',
  changeValueUnknown: 'No value is stored for this property, so none can be kept. Enter one.',
  changeValueExposed:
    'The value was entered while this property was sensitive, and the property no longer is. Enter the value again.',
  changeHistoryFull: 'The change request already has {max} entries, the maximum. Create a new one.',
  changePolicyStale: 'The policy has changed since you read it. Your change was not saved.',
  changeGrantsMissing:
    'Who created the change request had no permission for this: {permission}. If you have it, apply the request yourself when it is time.',
  scheduleOrder: 'Must be after the earliest time, and in the future.',
  scheduleTooFar: 'Must be at most {max} days ahead.',
  installationProtected:
    '{person} protected the installation from being detached (“{text}”). Lift the protection first.',
  installationAlreadyProtected: 'The installation is already protected.',
  installationNotProtected: 'The installation is not protected.',
  versionPinned:
    '{person} pinned the installation to {versions} (“{text}”). Choose a version that the pin allows, or remove the pin first.',
  installationNotPinned: 'The installation is not pinned.',
  versionRecalled: '{person} recalled version {version} (“{text}”). Choose another version.',
  planVersionDeprecated:
    '{person} deprecated version {version} of {bundle} (“{text}”). It can still be installed, but another version is recommended.',
  planScopePaused:
    '{person} paused the scope {scope} (“{text}”). Plugin calls there wait until someone resumes the scope.',
  planPluginDisabled: 'The plugin {plugin} is disabled, so its calls will fail. Enable it first.',
  planPluginMissing: 'The plugin {plugin} is not registered, so its calls will fail. Register it first.',
  planPluginPaused:
    '{person} paused the plugin {plugin} (“{text}”). Its calls wait until someone resumes the plugin.',
  versionStandingAlready: 'Version {version} is already in that state.',
  versionIsRecalled: 'Version {version} is recalled. Reinstate it first.',
  pluginRetiredRefusal:
    'Plugin {plugin} is retired, so an installation that calls it can only be detached. Install a version of the bundle without the plugin, or reinstate it.',
  pluginRetiredRetry:
    'Plugin {plugin} is retired, so the operation cannot continue. Take it over, or reinstate the plugin.',
  pluginAlreadyRetired: 'The plugin is already retired.',
  pluginNotRetired: 'The plugin is not retired.',
  operationPaused: 'A pause holds this operation. Resume it first.',
  pausedAlready: 'It is already paused.',
  notPaused: 'It is not paused.',
  reportOfOtherPlugin:
    'The report is about plugin {reported}, not about {plugin}. Upload it for the plugin that it names.',
  reportOfOtherVersion:
    'The report is about version {reported}, not about {version}. Upload it for the version that it names.',

  // permissions and requests
  permissionNeeded: 'This requires the permission {permission} here.',
  permissionNeededAnywhere: 'This requires the permission {permission}.',
  permissionNeededEverywhere: 'This requires the permission {permission} in all scopes.',
  recentSignInRequired:
    'This requires a recent sign-in, and yours is too old, or the identity provider did not say when it was. Sign in again, then repeat the request.',
  notFound: 'There is no such {kind}, or you are not allowed to see it.',
  operationRemoved:
    'There is no such operation, or you are not allowed to see it. Most operations that finished before {date} were removed when their retention period ended. Their audit entries are kept.',
  databaseAway: 'The database cannot be reached. Retry in a moment.',
  databaseFull: 'The database has no space left. Free space, then retry.',
  databaseOutOfMemory: 'The database has no memory left. Free memory, then retry.',
  databaseOutOfResources: 'The database has run out of a resource. See the log of the server, then retry.',
  databaseOutOfConnections: 'The database has no connection left. Retry in a moment.',
  databaseReadOnly: 'The database accepts no writes at the moment. Retry in a moment.',
  readTimedOut: 'The data could not be read in time. Nothing was changed.',
  runtimeIsNewer:
    'The runtime is newer than this console, which cannot show this. It can when the consoles are upgraded too.',
  requestAddressParts: 'Must have no user information, query or fragment',
  requestContactAddress: 'Must be an http, https or mailto address',
  requestControlCharacters:
    'Must not contain control characters or characters that reverse the direction of text',
  requestHttpAddress: 'Must be an http or https address',
  requestKey: 'Must be 1 to 128 characters of A-Z a-z 0-9 . _ ~ -, and not . or ..',
  requestLocator:
    'Must be bundle environment, bundle id, MODULE or GATEWAY or AGENT or TIMER, and resource name, joined by /',
  requestMethod: 'Must be one path segment',
  requestFailureCode: 'Must be the code of a failure',
  requestPlainAddress: 'Must be an http or https address without user information',
  requestChangeKind: 'Must be CONFIGURE, INSTALL, UPGRADE, DETACH, TAKEOVER or BATCH',
  requestLinkTemplate:
    'Must be an http or https address; of placeholders it may have operationId, bundleInstallId, traceId, from and to in braces, after its host',
  requestDaytime: 'Must be a time of day such as 18:00',
  requestDay: 'Must be a day such as 2026-11-29',
  requestZone: 'Must be a name of the IANA time zone database, such as Europe/Berlin',
  requestFreezePlaces: 'Must be given, or `scopes`, and not both',
  requestFreezeTimes: 'Must be given, or `from` and `to`, and not both',
  requestFreezeEnd: 'Must be after `from`',
  requestMarkChoice: 'Must be given, or `until`, and not both',
  requestFollowSubject: 'Must be an operation, an installation, a scope or a cause',
  requestErrorCode: 'Must be 0, or upper-case words and digits joined by _, beginning with a letter',
  requestCauseId: 'Must be the ID of a cause',
  requestRunbook: 'Must have a text or an address',
  requestMoment:
    'Must be a time in UTC with milliseconds, or a duration before now such as PT30M, PT24H or P7D',
  requestNotBlank: 'Must have a character that can be seen',
  requestPort: 'Must not have the port 0',
  requestSameTarget: 'Must not have the same item twice',
  requestUnknownKeys: 'Must not contain {keys}',
  requestViewSearch: 'Must contain only filters of this page, and at least one',
  requestAction: 'Must be RETRY, TAKEOVER, DETACH, INSTALL, UPGRADE or CONFIGURE',
  requestBody: 'A JSON body is required',
  requestScopeTarget: 'Must be environmentKey, applicationRuntimeId and workspaceId, joined by /',
  requestBatchValues: 'Must be of targets only',
  requestBatchSize:
    'Must set at most 100,000 values in all targets together; a long value counts several times',
  requestBatchChanges: 'Must have changes, values or both',
  requestWaveSize: 'Must be a whole number from 1 to 1000, or a share from 1% to 100%',
  requestWaveFailures: 'Must be a whole number from 0 to 1000, or a share from 0% to 100%',
  requestWaves: 'Must be given, or `environments`, and not both',
  requestWaveReason: 'Must be given with `wave`',
  requestCaseTwice: 'Must not have a case twice',
  requestDataOnly: 'Is only for DATA',
  requestDataSecret: 'Is only for DATA: a reference holds no secret',
  requestDataSchema: 'Is required for DATA',
  requestJson: 'Must be a JSON value',
  requestJsonObject: 'Must be a JSON object',
  requestJsonSchema: 'Must be a JSON Schema: an object, true or false',
  requestMapKey: 'Must be 1 to 128 characters without control characters',
  requestNoParameter: 'Is not a parameter of this call',
  requestNotNul: 'Must not hold a NUL',
  requestOnce: 'May be given once only',
  requestPropertyName:
    'Must be 1 to 128 characters of A-Z a-z 0-9 _ . - that begin with a letter or _, and not __proto__, constructor, prototype',
  requestReserved: 'Must not be __proto__, constructor, prototype',
  requestScope: 'Must be null, an environment, or a scope, each named by its keys',
  requestSnapshotNeeded: 'Is required with properties: the snapshot that they were edited from',
  requestTime: 'Must be a time in UTC with milliseconds, such as 2026-01-31T08:00:00.000Z',
  requestTypedValue: 'Must be a typed value as JSON',
  requestSessionId: 'Is not the ID of a session',
  requestUuid: 'Must be a UUID in lower case',
  requestWhole: 'Must be a whole number, 0 or more',
  requestWholePositive: 'Must be a whole number, 1 or more',
  requestWrapped: `Must be wrapped as ${listTypes('all')}`,
  keyReused: 'This Idempotency-Key was used with a different body. Send a new request with a new key.',
  cursorInvalid: 'The cursor does not belong to this list. Start again without it.',
  ownerNotModule: 'The owner must be a Module of an installation, given by its full locator.',
} as const

export type MessageReason = keyof typeof PLATFORM_MESSAGES

type ParametersOf<Reason extends MessageReason> = Record<
  Placeholders<(typeof PLATFORM_MESSAGES)[Reason]>,
  string | number
>

/** A message of the platform, with the reason and the parameters that it was built from. */
export interface PlatformMessage {
  message: string
  parameters: { reason: MessageReason } & Readonly<Record<string, string | number>>
}

/** Builds the message for a reason. The types require exactly the parameters that its template names. */
export function platformMessage<Reason extends MessageReason>(
  reason: Reason,
  ...[values]: [Placeholders<(typeof PLATFORM_MESSAGES)[Reason]>] extends [never]
    ? []
    : [values: ParametersOf<Reason>]
): PlatformMessage {
  const parameters: Record<string, string | number> = { ...values }
  return {
    message: fillTemplate(PLATFORM_MESSAGES[reason], parameters),
    parameters: { ...parameters, reason },
  }
}
