import { isJsonObject, type JsonObject, type JsonValue } from '#contract/json-schema/json.ts'
import { pointerSegments } from '#contract/json-schema/pointer.ts'
import type { Translate } from '../../i18n/use-text.ts'
import { itemsOf } from './control-kind.ts'
import { withoutNull } from './shape.ts'

/** A place inside a value by the titles of its schema: `/address/lines/0` as `Address › Lines › Item 1`. */
export function titledPath(schema: JsonObject, pointer: string, t: Translate): string {
  let current: JsonObject = schema
  const names = pointerSegments(pointer).map((segment) => {
    const inner = withoutNull(current) ?? current
    const member: JsonValue | undefined = isJsonObject(inner['properties'])
      ? inner['properties'][segment]
      : undefined
    const items = itemsOf(inner)
    current = isJsonObject(member) ? member : (items ?? {})
    if (isJsonObject(member)) return typeof member['title'] === 'string' ? member['title'] : segment
    return items !== null && /^\d+$/.test(segment)
      ? t('forms.list.item', { n: Number(segment) + 1 })
      : segment
  })
  return names.join(' › ')
}
