import { isKey } from './locator.ts'
import type { Scope } from './scope.ts'

/** A scope as people read and paste it: `environment/runtime/workspace`. */
export const scopeText = ({ environmentKey, applicationRuntimeId, workspaceId }: Scope): string =>
  `${environmentKey}/${applicationRuntimeId}/${workspaceId}`

/** Whether a text is a workspace ID: a whole number that JavaScript represents exactly. */
export const isWorkspaceId = (text: string): boolean =>
  /^(0|[1-9]\d{0,15})$/.test(text) && Number.isSafeInteger(Number(text))

/** `environment/runtime/workspace` parsed as a scope; null for anything else. */
export function parseScope(text: string): Scope | null {
  const [environmentKey = '', applicationRuntimeId = '', workspace = '', ...rest] = text.split('/')
  const isScope =
    rest.length === 0 && isKey(environmentKey) && isKey(applicationRuntimeId) && isWorkspaceId(workspace)
  return isScope ? { environmentKey, applicationRuntimeId, workspaceId: Number(workspace) } : null
}
