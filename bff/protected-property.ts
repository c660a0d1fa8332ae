import { INSTANCE_REF_PROPERTY } from '#contract/protocol/limits.ts'

/**
 * The places at which a write sets the protected property: changes, the resources of a full configuration, the
 * properties of an install or upgrade, and the values of a local service. The last has no `locator`.
 */
export function findProtectedProperty(body: unknown): { locator?: string }[] {
  if (!isObject(body)) return []
  const found: { locator?: string }[] = []
  for (const part of [body['changes'], body['properties'], body['resources']]) {
    if (!isObject(part)) continue
    for (const [locator, entry] of Object.entries(part)) {
      const properties = isObject(entry) && part === body['resources'] ? entry['properties'] : entry
      if (isObject(properties) && INSTANCE_REF_PROPERTY in properties) found.push({ locator })
    }
  }
  if (isObject(body['values']) && INSTANCE_REF_PROPERTY in body['values']) found.push({})
  return found
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
