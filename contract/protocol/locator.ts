import { RESERVED_NAMES } from './json.ts'

/** What a bundle can hold. Only a MODULE may be named by a plugin authorization. */
export const RESOURCE_KINDS = ['MODULE', 'GATEWAY', 'AGENT', 'TIMER'] as const
export type ResourceKind = (typeof RESOURCE_KINDS)[number]

export type LocatorParts = { environmentKey: string; bundleId: string; kind: ResourceKind; name: string }

/** 1 to 128 characters of `A-Z a-z 0-9 . _ ~ -`, never `.` or `..`: a key, and a locator's segment. */
export const KEY_PATTERN = /^(?!\.{1,2}$)[A-Za-z0-9._~-]{1,128}$/
export const PROPERTY_NAME_PATTERN = /^[A-Za-z_][A-Za-z0-9_.-]{0,127}$/

/** True for a key, taken byte for byte: nothing is decoded, folded or trimmed. */
export const isKey = (text: string): boolean => KEY_PATTERN.test(text)

/** True for a property name; never `__proto__`, `constructor` or `prototype`. */
export const isPropertyName = (text: string): boolean =>
  PROPERTY_NAME_PATTERN.test(text) && !RESERVED_NAMES.includes(text)

const isResourceKind = (text: string): text is ResourceKind =>
  (RESOURCE_KINDS as readonly string[]).includes(text)

/** The four segments of a full locator, or null for anything else. */
export function parseLocator(text: string): LocatorParts | null {
  const [environmentKey, bundleId, kind, name, ...more] = text.split('/')
  if (environmentKey === undefined || bundleId === undefined || kind === undefined || name === undefined)
    return null
  if (more.length > 0 || !isResourceKind(kind)) return null
  return isKey(environmentKey) && isKey(bundleId) && isKey(name)
    ? { environmentKey, bundleId, kind, name }
    : null
}

/** Bundle environment, bundle id, kind and resource name, joined by `/`. */
export const formatLocator = (parts: LocatorParts): string =>
  `${parts.environmentKey}/${parts.bundleId}/${parts.kind}/${parts.name}`
