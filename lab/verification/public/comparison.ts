import type { Violation } from '../suite.ts'

/** One case of a public suite, compared with our code. */
export interface Case {
  /** The file of the suite. */
  file: string
  /** The case within its file, or `GROUP/CASE`. Without blanks. */
  id: string
  /** What the suite calls it. */
  name: string
  /** How our answer differs, in a few words that all differences of one kind have in common; null if it is the suite's. */
  difference: string | null
}

/** Why some answers differ from those of a suite, on purpose. */
export interface Explanation {
  difference: string
  why: string
  /** The ids by file, with blanks between them. The id of a group stands for all of its cases. */
  cases: Readonly<Record<string, string>>
}

/** What one part of the suite `public` tried. */
export interface PartReport {
  /** What was compared with what, in a few words. */
  line: string
  cases: number
  violations: Violation[]
}

/**
 * A difference without an explanation is a violation, and so is an explanation of what does not differ: the table stays as long
 * as it is true. `isPartial` if not all cases were tried.
 */
export function judge(
  promise: string,
  cases: readonly Case[],
  explanations: readonly Explanation[],
  isPartial = false,
): PartReport {
  const explained = new Map<string, { difference: string; isMet: boolean }>()
  for (const { difference, cases: byFile } of explanations)
    for (const [file, ids] of Object.entries(byFile))
      for (const id of ids.split(' ')) explained.set(`${file} ${id}`, { difference, isMet: false })
  const violations: Violation[] = []
  let differing = 0
  for (const { file, id, name, difference } of cases) {
    const explanation = explained.get(`${file} ${id}`) ?? explained.get(`${file} ${id.split('/')[0]}`)
    if (explanation !== undefined) explanation.isMet = true
    if (difference !== null) differing++
    if (difference === (explanation?.difference ?? null)) continue
    const seen = difference ?? 'does not differ any more'
    const expected = explanation === undefined ? 'not explained' : `explained as: ${explanation.difference}`
    violations.push({ promise, seen: `${file} ${id} (${name}): ${seen}; ${expected}` })
  }
  if (!isPartial)
    for (const [key, { isMet }] of explained)
      if (!isMet) violations.push({ promise, seen: `${key} is explained, and is no case` })
  return {
    line: `${promise}: ${cases.length} cases, ${differing} differ as explained`,
    cases: cases.length,
    violations,
  }
}
