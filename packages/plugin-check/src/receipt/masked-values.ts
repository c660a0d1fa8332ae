import type { JsonValue } from '../../../../contract/json-schema/json.ts'
import { StrictJsonError } from '../../../../contract/protocol/json-text-problem.ts'
import type { LifecycleRequest } from '../../../../contract/protocol/lifecycle.ts'
import { MASK } from '../../../../contract/protocol/data.ts'
import { parseStrictJson } from '../../../../contract/protocol/strict-json.ts'
import { UsageError } from '../profile.ts'

/** The values that the console masked, by their JSON pointer in the request. */
export type MaskedValues = Readonly<Record<string, JsonValue>>

/** The pointers of all texts that are masked or contain a mask, in order. */
export function findMasked(request: LifecycleRequest): string[] {
  const found: string[] = []
  mapTexts(request, (text, pointer) => {
    if (text.includes(MASK)) found.push(pointer)
    return text
  })
  return found
}

/** The request with these values; what is not among them stays masked. */
export function fillMasked(request: LifecycleRequest, values: MaskedValues): LifecycleRequest {
  const filled = mapTexts(request, (text, pointer) =>
    text.includes(MASK) && Object.hasOwn(values, pointer) ? (values[pointer] ?? null) : text,
  )
  // only business values are masked, and they may be any JSON
  return filled as unknown as LifecycleRequest
}

function mapTexts(
  request: LifecycleRequest,
  change: (text: string, pointer: string) => JsonValue,
): JsonValue {
  const map = (value: JsonValue, pointer: string): JsonValue => {
    if (typeof value === 'string') return change(value, pointer)
    if (Array.isArray(value)) return value.map((item, index) => map(item, `${pointer}/${index}`))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        key,
        map(item, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
      ]),
    )
  }
  return map(request, '')
}

/** How a person is asked for the value at a pointer. */
export function describePointer(pointer: string): string {
  const parts = pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  const [root, locator, , property, , ...inside] = parts
  const rest = inside.length > 0 ? ` (at ${inside.join('/')})` : ''
  return root === 'resources' ? `${property} of ${locator}${rest}` : parts.join('/')
}

/**
 * What a person typed for the value at a pointer: a JSON object or list, otherwise a text.
 *
 * @throws UsageError for an object or list with something that would change, such as a number with too many digits.
 */
export function parseValue(text: string, pointer: string): JsonValue {
  if (!isComposite(text)) return text
  try {
    return parseStrictJson(text)
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error
    throw new UsageError(
      `The value for ${describePointer(pointer)} is not usable JSON: ${error.messageWithoutPath}. Start again and correct it there.`,
    )
  }
}

function isComposite(text: string): boolean {
  try {
    const json: unknown = JSON.parse(text)
    return typeof json === 'object' && json !== null
  } catch {
    return false
  }
}
