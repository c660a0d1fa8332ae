// The public API for plugin authors: everything else in this folder may change.
export { type WriteDeclarations } from './answer.ts'
export { type CallResource, type LifecycleCall } from './call.ts'
export { definePlugin, type PluginDefinition, type PluginHandler } from './define-plugin.ts'
export { type DeliveryFailure } from './deliver-event.ts'
export { eventReceiver, type EventReceiverOptions, type IncomingEvent } from './event-receiver.ts'
export { type EventState, type EventTables, type OutboxEvent } from './event-store.ts'
export { deterministicName, findOrAdopt } from './find-or-adopt.ts'
export { type Handlers, type StageHandlers } from './handlers.ts'
export { listen, type Listening, type NodeListener, toNodeListener } from './node-listener.ts'
export { credentialFromFile } from './credential-file.ts'
export { type Credential, PlatformCallFailed, type PlatformOptions } from './platform.ts'
export { readAuthorization } from './read-authorization.ts'
export {
  type ReferenceLocation,
  ReferenceNotResolved,
  type ResolvedReference,
  resolveReference,
  type ResolveOptions,
} from './resolve-reference.ts'
export {
  applied,
  failed,
  type FailureOptions,
  type HandlerResult,
  notApplied,
  PluginFailure,
  type ResultWith,
  SDK_ERROR_CODES,
  type SdkErrorCode,
  unknown,
  verified,
  type Writes,
} from './result.ts'
export { type Handler } from './run-call.ts'
// with *, so that the files of `plugin-sdk types` can add to Plugins
export * from './plugins.ts'
export { toHonoHandler } from './hono.ts'
export { type MemoryStore, memoryStore, type MemoryTransaction } from './memory-store.ts'
export {
  defaultRetryPolicy,
  type EventOutbox,
  eventOutbox,
  type EventToPublish,
  type OutboxOptions,
  type RetryPolicy,
} from './outbox.ts'
export { type FailedCall, type FailureEntry } from './log-failure.ts'
export { outboxView } from './outbox-view.ts'
export {
  type PostgresPool,
  type PostgresStore,
  postgresStore,
  type PostgresStoreOptions,
  type PostgresTransaction,
} from './postgres-store.ts'
export {
  type SqliteStore,
  sqliteStore,
  type SqliteStoreOptions,
  type SqliteTransaction,
} from './sqlite-store.ts'
export { type SqliteRow, type SqliteStatement, type SqliteValue } from './sqlite-driver.ts'
export { type Awaitable } from './awaitable.ts'
export { type CallKey, type Mark, type Memory, type RememberedCall, type Store } from './store.ts'
export { type Access } from '../../../contract/protocol/access-resolution.ts'
export {
  type CompiledAuthorization,
  type PluginConfiguration,
} from '../../../contract/protocol/authorization.ts'
export {
  type LifecycleRequest,
  type OperationIdentity,
  type ResourceEntry,
} from '../../../contract/protocol/lifecycle.ts'
export { type InstallationIdentity } from '../../../contract/protocol/scope.ts'
export { type Data, type Reference, type TypedValue } from '../../../contract/protocol/typed-value.ts'
export {
  type OperationType,
  type Outcome,
  type ResourceAction,
  type Stage,
} from '../../../contract/protocol/vocabulary.ts'
import type * as json from '../../../contract/json-schema/json.ts'
// not exported from there: the compiler would name this file in the declarations of that one's other users
export type JsonObject = json.JsonObject
export type JsonValue = json.JsonValue
export { decode, decodeData, fromDataValues, fromProperties } from '../../../contract/protocol/data.ts'
