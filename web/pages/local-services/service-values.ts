import { getOwn, deepEqual, isJsonObject, pointerTo } from '#contract/json-schema/json.ts'
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

/** Who changed a property relative to the common base; `overlap` means that both changed it differently. */
export type ValueVerdict = 'mine' | 'theirs' | 'alike' | 'overlap'

/** A property that someone changed. Undefined means "absent". */
export type Difference = {
  name: string
  base: JsonValue | undefined
  mine: JsonValue | undefined
  theirs: JsonValue | undefined
  verdict: ValueVerdict
}

/** The properties that either side changed, in the order of mine. */
export function compareValues(base: JsonObject, mine: JsonObject, theirs: JsonObject): Difference[] {
  const names = new Set([...Object.keys(mine), ...Object.keys(theirs), ...Object.keys(base)])
  return [...names].flatMap((name) => {
    const values = { base: getOwn(base, name), mine: getOwn(mine, name), theirs: getOwn(theirs, name) }
    const isMine = !deepEqual(values.base, values.mine)
    const isTheirs = !deepEqual(values.base, values.theirs)
    if (!isMine && !isTheirs) return []
    const verdict = !isTheirs
      ? 'mine'
      : !isMine
        ? 'theirs'
        : deepEqual(values.mine, values.theirs)
          ? 'alike'
          : 'overlap'
    return [{ name, ...values, verdict }]
  })
}

/** Their values with my changes on top; where both changed the same property, the picked value. */
export function mergeServiceValues(
  theirs: JsonObject,
  differences: readonly Difference[],
  picks: ReadonlyMap<string, 'mine' | 'theirs'>,
): JsonObject {
  const merged = new Map(Object.entries(theirs))
  for (const { name, mine, verdict } of differences) {
    const takesMine = verdict === 'mine' || (verdict === 'overlap' && picks.get(name) === 'mine')
    if (!takesMine) continue
    if (mine === undefined) merged.delete(name)
    else merged.set(name, mine)
  }
  return Object.fromEntries(merged)
}

export const isDecided = (
  differences: readonly Difference[],
  picks: ReadonlyMap<string, 'mine' | 'theirs'>,
): boolean => differences.every(({ name, verdict }) => verdict !== 'overlap' || picks.has(name))
