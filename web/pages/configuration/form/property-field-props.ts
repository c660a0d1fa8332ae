import type { PropertyView } from '#contract/console-api/shapes.ts'
import type { ResourceKind } from '#contract/protocol/locator.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'

export interface PropertyFieldProps {
  locator: string
  property: string
  kind: ResourceKind
  definition: PropertyDefinition
  /** The saved value. */
  view: PropertyView | null
  writtenBy: string | undefined
  isLocked: boolean
  zone: string | undefined
}
