import { useState } from 'react'
import type { JsonValue } from '#contract/json-schema/json.ts'

/**
 * Whether a control edits its value as JSON. It does so as soon as its form cannot show the value (`fits`), and until
 * the person returns to the form: to replace the editor while the person types would lose the focus.
 *
 * @param parts a value of which each part has fields in the form: it is JSON too if there are very many.
 */
export function useJsonMode(fits: boolean, parts?: JsonValue) {
  const isSmall = hasFewParts(parts, PARTS_MAX)
  const [isChosen, setIsChosen] = useState(!isSmall)
  // what is edited in a form may grow there
  const isJson = isChosen || !fits || !hasFewParts(parts, 3 * PARTS_MAX)
  if (isJson && !isChosen) setIsChosen(true)
  return {
    isJson,
    toJson: () => setIsChosen(true),
    /** Undefined while the form cannot show the value. */
    toForm: fits && isSmall ? () => setIsChosen(false) : undefined,
  }
}

/** A form has some fields for each part of a value. With more of them, a browser stands still. */
const PARTS_MAX = 1_000

const hasFewParts = (value: JsonValue | undefined, most: number): boolean => partsLeft(value, most) >= 0

function partsLeft(value: JsonValue | undefined, most: number): number {
  if (typeof value !== 'object' || value === null) return most
  let left = most
  for (const part of Array.isArray(value) ? value : Object.values(value)) {
    left = partsLeft(part, left - 1)
    if (left < 0) break
  }
  return left
}
