import type { Scope } from '#contract/protocol/scope.ts'

export const freezesCall = { query: {} }
/** Those that refuse something now, somewhere. */
export const activeFreezesCall = { query: { active: 'true' as const } }
/** What would refuse changes of a scope now. */
export const restrictionsCall = ({ environmentKey, applicationRuntimeId, workspaceId }: Scope) => ({
  params: { environmentKey, applicationRuntimeId, workspaceId },
})
