import type { FieldId } from '../../../forms/property/property-place.ts'
import { propertyTitle } from '../../../forms/property/property-labels.ts'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { PropertyValueView } from '../../../ui/value/ValueView.tsx'
import type { HeldValue } from './arriving-values.ts'

/** Values that were not copied, each with the choice to copy it anyway. */
export function BoundChoices<Value extends HeldValue>({
  about,
  bound,
  ticked,
  onTick,
}: {
  /** Why they were not copied, and what to do. */
  about: string
  bound: readonly Value[]
  ticked: ReadonlySet<FieldId>
  onTick: (value: Value, isTicked: boolean) => void
}) {
  return (
    <>
      <p>{about}</p>
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
