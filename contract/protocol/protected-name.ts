import type { Detail } from './envelope.ts'
import { INSTANCE_REF_PROPERTY } from './limits.ts'
import { mapMessage } from './map-message.ts'

/** Shown instead of the name of the protected property. Only manifests show the name. */
export const PROTECTED_PROPERTY = 'a protected property'

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
