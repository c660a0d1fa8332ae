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

/** The kind of a property: a business value, or references to services. */
export const PROPERTY_KINDS = [
  'DATA',
  'SERVICE_REFERENCE',
  'SERVICE_REFERENCE_MAP',
  'SERVICE_REFERENCE_LIST',
] as const
export type PropertyKind = (typeof PROPERTY_KINDS)[number]

/** The `@type` of the values of each kind. */
export const TYPE_OF_KIND = {
  DATA: 'Data',
  SERVICE_REFERENCE: 'ServiceReference',
  SERVICE_REFERENCE_MAP: 'ServiceReferenceMap',
  SERVICE_REFERENCE_LIST: 'ServiceReferenceList',
} as const satisfies Record<PropertyKind, string>

/** The only failure policy: after the first definite failure no further plugin is called. */
export const FAILURE_POLICIES = ['FAIL_FAST'] as const
