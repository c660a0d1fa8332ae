import { checkTypedValue } from '#contract/protocol/business-value.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { Translate } from '../i18n/use-text.ts'
import { controlKind } from './control-kind.ts'
import type { Edit } from './edit.ts'

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
  return problem.path === '' ? problem.message : `${problem.path}: ${problem.message}`
}
