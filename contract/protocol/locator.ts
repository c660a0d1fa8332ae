/** The kinds of resources. Only a MODULE can be named in a plugin authorization. */
export const RESOURCE_KINDS = ['MODULE', 'GATEWAY', 'AGENT', 'TIMER'] as const
export type ResourceKind = (typeof RESOURCE_KINDS)[number]

export type LocatorParts = { environmentKey: string; bundleId: string; kind: ResourceKind; name: string }

/** A key or a segment of a locator: 1 to 128 characters of `A-Z a-z 0-9 . _ ~ -`, never `.` or `..`. */
export const KEY_PATTERN = /^(?!\.{1,2}$)[A-Za-z0-9._~-]{1,128}$/
/** Excludes names that can reach an object's prototype when used as a key. */
export const PROPERTY_NAME_PATTERN =
  /^(?!(?:__proto__|constructor|prototype)$)[A-Za-z_][A-Za-z0-9_.-]{0,127}$/

/** Four segments joined by `/`. */
export const LOCATOR_PATTERN =
  /^(?:(?!\.{1,2}\/)[A-Za-z0-9._~-]{1,128}\/){2}(?:MODULE|GATEWAY|AGENT|TIMER)\/(?!\.{1,2}$)[A-Za-z0-9._~-]{1,128}$/

/** True for a key. Compared byte for byte: nothing is decoded, folded or trimmed. */
export const isKey = (text: string): boolean => KEY_PATTERN.test(text)

/** True for a property name; never `__proto__`, `constructor` or `prototype`. */
export const isPropertyName = (text: string): boolean => PROPERTY_NAME_PATTERN.test(text)

/** The four segments of a full locator, or null if the text is not one. */
export function parseLocator(text: string): LocatorParts | null {
  if (!LOCATOR_PATTERN.test(text)) return null
  // The pattern guarantees three slashes, with one of the kinds between the second and the third.
  const [environmentKey, bundleId, kind, name] = text.split('/') as [string, string, ResourceKind, string]
  return { environmentKey, bundleId, kind, name }
}

/** Bundle environment, bundle id, kind and resource name, joined by `/`. */
export const formatLocator = (parts: LocatorParts): string =>
  `${parts.environmentKey}/${parts.bundleId}/${parts.kind}/${parts.name}`
