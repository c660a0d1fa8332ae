import { isJsonObject, pointerTo } from '#contract/json-schema/json.ts'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import { INSTANCE_REF_PROPERTY } from '#contract/protocol/limits.ts'
import { isPropertyName } from '#contract/protocol/locator.ts'
import { hideProtectedName } from '#contract/protocol/protected-property.ts'
import { labelled } from '../../i18n/punctuation.ts'
import type { Translate } from '../../i18n/use-text.ts'

/** Finds the errors in the values of a local service; `path` is a JSON pointer into the document. */
export function checkValues(
  value: JsonValue,
  t: Translate,
): { path: string; keyword: string; message: string }[] {
  if (!isJsonObject(value)) return [{ path: '', keyword: 'type', message: t('localServices.problem.object') }]
  return Object.keys(value).flatMap((name) => {
    const message =
      name === INSTANCE_REF_PROPERTY
        ? t('localServices.problem.protected')
        : isPropertyName(name)
          ? null
          : t('localServices.problem.name', { name })
    return message === null ? [] : [{ path: pointerTo(name), keyword: 'propertyNames', message }]
  })
}

/** An error as one line of text below the editor. */
export function problemLine({ path, message }: { path: string; message: string }, t: Translate): string {
  return path === '' ? message : labelled(t, hideProtectedName(path), message)
}

export const textOf = (values: JsonObject): string => JSON.stringify(values, null, 2)
