import { isJsonObject } from '../../../../contract/json-schema/json.ts'
import type { JsonValue } from '../../../../contract/json-schema/json.ts'
import { MASK } from '../../../../contract/protocol/data.ts'

const SHOWN_MAX = 20
const TEXT_MAX = 120

/**
 * One line for each place where two responses differ: the pointer, then the earlier and the later value. What is masked
 * in the earlier one is not compared.
 */
export function differences(earlier: JsonValue, later: JsonValue): string[] {
  const lines: string[] = []
  const compare = (a: JsonValue | undefined, b: JsonValue | undefined, pointer: string): void => {
    if (typeof a === 'string' && a.includes(MASK)) return
    if (isContainer(a) && isContainer(b) && Array.isArray(a) === Array.isArray(b)) {
      const [first, second] = [Object(a), Object(b)]
      for (const key of new Set([...Object.keys(first), ...Object.keys(second)]))
        compare(own(first, key), own(second, key), `${pointer}/${key}`)
    } else if (JSON.stringify(a) !== JSON.stringify(b))
      lines.push(`${pointer === '' ? 'body' : pointer}: ${textOf(a)} -> ${textOf(b)}`)
  }
  compare(earlier, later, '')
  return lines.length <= SHOWN_MAX
    ? lines
    : [...lines.slice(0, SHOWN_MAX), `and ${lines.length - SHOWN_MAX} more`]
}

const isContainer = (value: JsonValue | undefined): boolean => Array.isArray(value) || isJsonObject(value)

const own = (value: Record<string, JsonValue>, key: string): JsonValue | undefined =>
  Object.hasOwn(value, key) ? value[key] : undefined

function textOf(value: JsonValue | undefined): string {
  if (value === undefined) return 'nothing'
  const text = JSON.stringify(value)
  return text.length <= TEXT_MAX ? text : `${text.slice(0, TEXT_MAX)}…`
}
