import type { PropertyView } from '#contract/console-api/shapes.ts'
import { isJsonObject } from '#contract/json-schema/json.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { nameItems, pathOf, type Step } from '#contract/json-schema/list-items.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import { useText } from '../../i18n/use-text.ts'
import { PlaceName } from '../../ui/value/LeafChanges.tsx'
import { PropertyValueView, ValueView } from '../../ui/value/ValueView.tsx'
import { placeNamer } from './property-labels.ts'

/** A value with more leaves is JSON, which is shown in part. */
const LINES_MAX = 24

/**
 * A value that is only read: an object, or a list of them, has a line for each leaf with its place in words; the texts or
 * numbers of a list stand side by side.
 */
export function StructuredValue({
  value,
  definition,
}: {
  value: PropertyView | null
  /** For the titles of the leaves; without it, they have their names. */
  definition: PropertyDefinition | undefined
}) {
  const t = useText()
  const plain = value?.['@type'] === 'Data' && 'value' in value ? value.value : null
  if (Array.isArray(plain) && plain.length > 0 && plain.length <= LINES_MAX && plain.every(isScalar))
    return (
      <ul className="flex flex-wrap gap-1">
        {plain.map((item, position) => (
          // items have only their position
          // oxlint-disable-next-line react/no-array-index-key
          <li key={position} className="rounded-sm bg-sunken px-1.5">
            <ValueView value={item} />
          </li>
        ))}
      </ul>
    )
  const leaves = isStructured(plain) ? leavesOf(plain) : []
  if (leaves.length === 0 || leaves.length > LINES_MAX) return <PropertyValueView value={value} />
  const nameOf = placeNamer(definition, t)
  return (
    <ul className="space-y-0.5">
      {leaves.map((leaf) => (
        <li key={pathOf(leaf.steps)} className="flex min-w-0 flex-wrap items-baseline gap-x-3">
          <PlaceName name={nameOf(leaf.steps, plain ?? undefined)} />
          <ValueView value={leaf.value} />
        </li>
      ))}
    </ul>
  )
}

const isScalar = (value: JsonValue): boolean => typeof value !== 'object'

const isStructured = (value: JsonValue): boolean =>
  (isJsonObject(value) && Object.keys(value).length > 0) ||
  (Array.isArray(value) && value.some((item) => isJsonObject(item)))

interface Leaf {
  steps: readonly Step[]
  value: JsonValue
}

function leavesOf(value: JsonValue, steps: readonly Step[] = []): Leaf[] {
  if (isJsonObject(value)) {
    const members = Object.entries(value)
    if (members.length > 0) return members.flatMap(([name, member]) => leavesOf(member, [...steps, name]))
  }
  if (Array.isArray(value) && isStructured(value)) {
    const { names, keyOf } = nameItems([value])
    return value.flatMap((item, index) =>
      leavesOf(item, [
        ...steps,
        { name: names[0]?.[index] ?? String(index), position: index + 1, key: keyOf(item) },
      ]),
    )
  }
  return [{ steps, value }]
}
