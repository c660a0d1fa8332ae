import { joinSentences } from '../../../i18n/punctuation.ts'
import { useText } from '../../../i18n/use-text.ts'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { propertyTitle } from '../../../forms/property/property-labels.ts'
import type { NeededValues } from './use-needed-values.ts'

/** Where the targets differ: how many need each value, and whether the others are to get it too. */
export function NeededChoices({ needed, count }: { needed: NeededValues; count: number }) {
  const t = useText()
  const fields = needed.resources
    .flatMap((resource) => resource.fields)
    .flatMap((field) => {
      const need = needed.needs.get(field.id)
      return need === undefined || need.missing.length === count ? [] : [{ field, need }]
    })
  if (fields.length === 0) return null
  return (
    <ul className="space-y-2">
      {fields.map(({ field: { id, property, definition }, need: { missing: without, refused } }) => {
        const missing = without.length
        const name = propertyTitle(definition, property)
        return (
          <li key={id} className="space-y-1">
            <p className="text-muted">
              <span className="font-medium text-ink">{name}</span>
              {t('common.punctuation.colon')}
              {joinSentences(t, [
                missing > 0 && t('batches.make.needed.missing', { n: missing, of: count }),
                refused > 0 && t('batches.make.needed.refused', { n: refused, of: count }),
              ])}
            </p>
            <Checkbox
              checked={needed.replaced.has(id)}
              onChange={(event) => needed.replace(id, event.target.checked)}
            >
              {t('batches.make.needed.replace', { property: name, n: count })}
            </Checkbox>
          </li>
        )
      })}
    </ul>
  )
}
