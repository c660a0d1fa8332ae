import type { JsonValue } from '../json-schema/json.ts'
import type { Problem } from '../json-schema/problem.ts'
import { pointerTo } from '../json-schema/pointer.ts'

/** The text that the product displays in place of a sensitive value. */
export const MASK = '••••••••'

/** Characters with which products and password fields mask secrets, and whitespace around them. */
const MASK_CHARACTERS = /^[\s*∗＊⁎•·∙⋅・●⚫⬤○◦■▪█]+$/u

/** Whether a text is a mask: ours, or any other text that consists only of mask characters. */
export function isMask(text: string): boolean {
  return text === MASK || (text.trim() !== '' && MASK_CHARACTERS.test(text))
}

/**
 * Finds every mask inside a business value. A mask is copied from a page that hides the real value, so saving it would
 * overwrite that value. Object keys are not checked. Returns one problem per mask, empty if there is none.
 */
export function findMasks(value: JsonValue): Problem[] {
  const problems: Problem[] = []
  // an explicit stack: a value may nest deeper than the call stack allows
  const open: { path: string; value: JsonValue }[] = [{ path: '', value }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { path, value: current } = next
    if (typeof current === 'string') {
      if (isMask(current)) problems.push({ path, keyword: 'mask', ...NOT_A_VALUE })
    } else if (typeof current === 'object' && current !== null)
      for (const [key, item] of Object.entries(current))
        open.push({ path: path + pointerTo(key), value: item })
  }
  return problems.toReversed()
}

const NOT_A_VALUE: Pick<Problem, 'message' | 'parameters'> = {
  message: `Must be the value itself, not a mask such as ${MASK}`,
  parameters: { reason: 'valueMask', mask: MASK },
}
