import type { Scope } from './scope.ts'

/** A scope as people read and paste it: `environment/runtime/workspace`. */
export const scopeText = ({ environmentKey, applicationRuntimeId, workspaceId }: Scope): string =>
  `${environmentKey}/${applicationRuntimeId}/${workspaceId}`
