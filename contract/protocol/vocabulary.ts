/** What an operation does to an installation as a whole. */
export const OPERATION_TYPES = ['INSTALL', 'UPGRADE', 'CONFIGURE', 'DETACH'] as const
export type OperationType = (typeof OPERATION_TYPES)[number]

/** When a plugin is called, relative to the RESOURCES phase. */
export const STAGES = ['BEFORE_RESOURCES', 'AFTER_RESOURCES'] as const
export type Stage = (typeof STAGES)[number]

/** The result that a plugin reports. UNKNOWN is never a success. */
export const OUTCOMES = ['NOT_APPLIED', 'APPLIED', 'VERIFIED', 'FAILED', 'UNKNOWN'] as const
export type Outcome = (typeof OUTCOMES)[number]

/** What an operation does to one resource. */
export const RESOURCE_ACTIONS = ['INSTALL', 'UPGRADE', 'CONFIGURE', 'DETACH', 'NONE'] as const
export type ResourceAction = (typeof RESOURCE_ACTIONS)[number]

/** The only failure policy: after the first definite failure no further plugin is called. */
export const FAILURE_POLICIES = ['FAIL_FAST'] as const
