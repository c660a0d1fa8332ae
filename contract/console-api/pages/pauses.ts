import type { Scope } from '#contract/protocol/scope.ts'

export const pausesCall = { query: {} }
export const pausesOfOperationCall = (operationId: string) => ({ query: { operationId } })
export const pausesOfPluginCall = (pluginId: string) => ({ query: { pluginId } })
/** Of a scope and of its operations. */
export const pausesInScopeCall = ({ environmentKey, applicationRuntimeId, workspaceId }: Scope) => ({
  query: { environmentKey, applicationRuntimeId, workspaceId },
})
