// The public API for plugin authors: everything else in this folder may change.
export { type WriteDeclarations } from './answer.ts'
export { type CallResource, type LifecycleCall } from './call.ts'
export {
  definePlugin,
  type Handlers,
  type PluginDefinition,
  type PluginHandler,
  type StageHandlers,
} from './define-plugin.ts'
export { deterministicName, findOrAdopt } from './find-or-adopt.ts'
export { listen, type Listening, type NodeListener, toNodeListener } from './node-listener.ts'
export {
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
  SDK_ERROR_CODES,
  type SdkErrorCode,
  unknown,
  verified,
  type Writes,
} from './result.ts'
export { type Handler } from './run-call.ts'
export { memoryStore, type SqliteStore, sqliteStore } from './sqlite-store.ts'
export { type SqliteTransaction } from './sqlite-memory.ts'
export { type SqliteRow, type SqliteStatement, type SqliteValue } from './sqlite-driver.ts'
export { type Awaitable, type Mark, type Memory, type RememberedCall, type Store } from './store.ts'
export { decode, decodeData, fromDataValues, fromProperties } from '../../../contract/protocol/data.ts'
