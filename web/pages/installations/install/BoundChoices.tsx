import type { FieldId } from '../../../forms/property/field-id.ts'
import { propertyTitle } from '../../../forms/property/property-labels.ts'
import { useText } from '../../../i18n/use-text.ts'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { PropertyValueView } from '../../../ui/value/ValueView.tsx'
import type { HeldValue } from './arriving-values.ts'

/** Values that belong to another place, each with the choice to take it all the same. */
export function BoundChoices<Value extends HeldValue>({
  bound,
  ticked,
  onTick,
}: {
  bound: readonly Value[]
  ticked: ReadonlySet<FieldId>
  onTick: (value: Value, isTicked: boolean) => void
}) {
  const t = useText()
  return (
    <>
      <p>{t('installations.copy.bound.message')}</p>
      <ul className="mt-1">
        {bound.map((one) => (
          <li key={one.id} className="flex flex-wrap items-center gap-x-3">
            <Checkbox
              checked={ticked.has(one.id)}
              onChange={({ target: { checked } }) => onTick(one, checked)}
            >
              {propertyTitle(one.definition, one.property)} · {one.resource}
            </Checkbox>
            {one.value !== null && <PropertyValueView value={one.value} />}
          </li>
        ))}
      </ul>
    </>
  )
}
