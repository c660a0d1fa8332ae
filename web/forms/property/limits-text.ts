import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { Translate } from '../../i18n/use-text.ts'
import { schemaOf } from './control-kind.ts'

/** Nobody exceeds a higher limit by accident, so unless the text names a least length too, only its error mentions it. */
const WORTH_TELLING = 100

/** The limits of a schema as text, shown before anyone exceeds them: "1 to 65,535", "at most 40 characters". */
export function limitsText(definition: PropertyDefinition, t: Translate): string {
  const schema = schemaOf(definition)
  const number = (key: string): number | undefined => {
    const value = schema[key]
    return typeof value === 'number' ? value : undefined
  }
  const parts: string[] = []
  const [minimum, maximum] = [number('minimum'), number('maximum')]
  if (minimum !== undefined && maximum !== undefined)
    parts.push(t('forms.limit.range', { from: minimum, to: maximum }))
  else if (minimum !== undefined) parts.push(t('forms.limit.minimum', { from: minimum }))
  else if (maximum !== undefined) parts.push(t('forms.limit.maximum', { to: maximum }))
  const [above, below] = [number('exclusiveMinimum'), number('exclusiveMaximum')]
  if (above !== undefined) parts.push(t('forms.limit.above', { from: above }))
  if (below !== undefined) parts.push(t('forms.limit.below', { to: below }))
  const [shortest, longest] = [number('minLength'), number('maxLength')]
  if (shortest !== undefined && shortest > 1 && longest !== undefined) {
    parts.push(t('forms.limit.length', { from: shortest, to: longest }))
  } else if (longest !== undefined && longest <= WORTH_TELLING)
    parts.push(t('forms.limit.maxLength', { to: longest }))
  else if (shortest !== undefined && shortest > 1) parts.push(t('forms.limit.minLength', { from: shortest }))
  const [fewest, most] = [number('minItems'), number('maxItems')]
  if (fewest !== undefined && most !== undefined)
    parts.push(t('forms.limit.items', { from: fewest, to: most }))
  else if (most !== undefined) parts.push(t('forms.limit.maxItems', { to: most }))
  else if (fewest !== undefined && fewest > 0) parts.push(t('forms.limit.minItems', { n: fewest }))
  return parts.join(' · ')
}
