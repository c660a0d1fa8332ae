// The public API for plugin authors: everything below this folder may change.
export { type WriteDeclarations } from './sdk/answer.ts'
export { type CallResource, type LifecycleCall } from './sdk/call.ts'
export {
  definePlugin,
  type Handlers,
  type PluginDefinition,
  type PluginHandler,
  type StageHandlers,
} from './sdk/define-plugin.ts'
export { deterministicName, findOrAdopt } from './sdk/find-or-adopt.ts'
export { listen, type Listening, type NodeListener, toNodeListener } from './sdk/node-listener.ts'
export {
  ReferenceNotResolved,
  type ResolvedReference,
  resolveReference,
  type ResolveOptions,
} from './sdk/resolve-reference.ts'
export {
  applied,
  failed,
  type FailureOptions,
  type HandlerResult,
  notApplied,
  PluginFailure,
  SDK_ERROR_CODES,
  type SdkErrorCode,
  unknown,
  verified,
  type Writes,
} from './sdk/result.ts'
export { type Handler } from './sdk/run-call.ts'
export { memoryStore, type SqliteStore, sqliteStore } from './sdk/sqlite-store.ts'
export { type SqliteTransaction } from './sdk/sqlite-memory.ts'
export { type Awaitable, type Mark, type Memory, type RememberedCall, type Store } from './sdk/store.ts'
export { decode, decodeData, fromDataValues, fromProperties } from '#contract/protocol/data.ts'
