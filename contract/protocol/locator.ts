/** What a bundle can hold. Only a MODULE may be named by a plugin authorization. */
export const RESOURCE_KINDS = ['MODULE', 'GATEWAY', 'AGENT', 'TIMER'] as const
export type ResourceKind = (typeof RESOURCE_KINDS)[number]

export type LocatorParts = { environmentKey: string; bundleId: string; kind: ResourceKind; name: string }

/** 1 to 128 characters of `A-Z a-z 0-9 . _ ~ -`, never `.` or `..`: a key, and a locator's segment. */
export const KEY_PATTERN = /^(?!\.{1,2}$)[A-Za-z0-9._~-]{1,128}$/
/** Never a name that reaches an object's prototype when it is used as a key carelessly. */
export const PROPERTY_NAME_PATTERN =
  /^(?!(?:__proto__|constructor|prototype)$)[A-Za-z_][A-Za-z0-9_.-]{0,127}$/

/** Four segments joined by `/`. */
export const LOCATOR_PATTERN =
  /^(?:(?!\.{1,2}\/)[A-Za-z0-9._~-]{1,128}\/){2}(?:MODULE|GATEWAY|AGENT|TIMER)\/(?!\.{1,2}$)[A-Za-z0-9._~-]{1,128}$/

/** True for a key, taken byte for byte: nothing is decoded, folded or trimmed. */
export const isKey = (text: string): boolean => KEY_PATTERN.test(text)

/** True for a property name; never `__proto__`, `constructor` or `prototype`. */
export const isPropertyName = (text: string): boolean => PROPERTY_NAME_PATTERN.test(text)

/** The four segments of a full locator, or null for anything else. */
export function parseLocator(text: string): LocatorParts | null {
  if (!LOCATOR_PATTERN.test(text)) return null
  // The pattern is the proof: three slashes, and one of the kinds between the second and the third.
  const [environmentKey, bundleId, kind, name] = text.split('/') as [string, string, ResourceKind, string]
  return { environmentKey, bundleId, kind, name }
}

/** Bundle environment, bundle id, kind and resource name, joined by `/`. */
export const formatLocator = (parts: LocatorParts): string =>
  `${parts.environmentKey}/${parts.bundleId}/${parts.kind}/${parts.name}`
