import type { JsonValue } from '../json-schema/json.ts'
import type { Detail } from './envelope.ts'
import { INSTANCE_REF_PROPERTY } from './limits.ts'
import { mapMessage } from './messages.ts'

/** Shown instead of the name of the protected property. Only manifests show the name. */
const PROTECTED_PROPERTY = 'a protected property'

/** Matches the whole word: the name of another property may contain it. */
const NAME = new RegExp(`(?<![\\w-])${INSTANCE_REF_PROPERTY}(?![\\w-])`, 'g')

/** Replaces the name of the protected property in a text. */
export function hideProtectedName(text: string): string {
  return text.includes(INSTANCE_REF_PROPERTY) ? text.replace(NAME, PROTECTED_PROPERTY) : text
}

/** Removes the name from one detail of a failure: omits `property` and cuts `path` to the parent. */
export function hideInDetail(detail: Detail): Detail {
  const hidden = mapMessage(detail, hideProtectedName)
  if (hidden.property === INSTANCE_REF_PROPERTY) delete hidden.property
  const at = hidden.path?.search(NAME) ?? -1
  if (hidden.path !== undefined && at >= 0) hidden.path = hidden.path.slice(0, Math.max(0, at - 1))
  return hidden
}

// The values of these keys are business data, an author's schema or a plugin's configuration. The name has no
// meaning there and is kept.
const OPAQUE_KEYS = new Set(['value', 'values', 'schema', 'default'])

/**
 * Removes the property that is reserved for the runtime from a response: entries of maps by property name,
 * changes of it, and mentions in lists of names and in messages.
 */
export function hideProtectedProperty<Answer>(answer: Answer): Answer {
  // the response has just been validated against its schema, and removing optional entries keeps it valid
  return hide(answer as JsonValue) as Answer
}

/** Values with nothing to hide, which are nearly all, are not copied. */
function hide(json: JsonValue): JsonValue {
  if (Array.isArray(json)) {
    const shown = json.some(mentionsProtected) ? json.filter((item) => !mentionsProtected(item)) : json
    const hidden = shown.map(hide)
    return shown === json && hidden.every((item, index) => item === json[index]) ? json : hidden
  }
  if (typeof json !== 'object' || json === null || '@type' in json) return json
  let copy: { [key: string]: JsonValue } | null = null
  for (const key of Object.keys(json)) {
    const value = json[key] ?? null
    const isShown = key !== INSTANCE_REF_PROPERTY
    const hidden = OPAQUE_KEYS.has(key) ? value : hideIn(key, value)
    if (isShown && hidden === value) continue
    copy ??= { ...json }
    if (isShown) copy[key] = hidden
    else delete copy[key]
  }
  return copy ?? json
}

/** Messages, such as those of plugins, may contain the name too. */
function hideIn(key: string, value: JsonValue): JsonValue {
  if (typeof value === 'object') return hide(value)
  return key === 'message' && typeof value === 'string' ? hideProtectedName(value) : value
}

function mentionsProtected(item: JsonValue): boolean {
  if (item === INSTANCE_REF_PROPERTY) return true
  return (
    typeof item === 'object' &&
    item !== null &&
    !Array.isArray(item) &&
    item['property'] === INSTANCE_REF_PROPERTY
  )
}
