import { checkTypedValue } from '#contract/protocol/business-value.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import { labelled } from '../i18n/punctuation.ts'
import type { Translate } from '../i18n/use-text.ts'
import { controlKind } from './control-kind.ts'
import type { Edit } from './edit.ts'
import { problemWords } from './problem-words.ts'

/**
 * What is wrong with an edit, or null. The runtime decides with the same function; here it only saves the way. A
 * message is the validator's own, with the place inside the value where that is not the whole.
 */
export function problemText(definition: PropertyDefinition, edit: Edit, t: Translate): string | null {
  if (edit.kind === 'removed') return definition.required === true ? t('forms.problem.required') : null
  if (edit.kind === 'unfinished') {
    return controlKind(definition, 'MODULE') === 'number'
      ? t('forms.problem.number')
      : t('forms.problem.json')
  }
  const problem = checkTypedValue(definition, edit.value)[0]
  if (problem === undefined) return null
  const words = problemWords(problem.message, t)
  return problem.path === '' ? words : labelled(t, readablePath(problem.path), words)
}

/** `/address/lines/0` as `address › lines › 1`. */
function readablePath(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((step) => (/^\d+$/.test(step) ? String(Number(step) + 1) : step))
    .join(' › ')
}
