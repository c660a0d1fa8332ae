import type { PropertyView } from '#contract/console-api/shapes.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { DraftField } from './use-draft-field.ts'

/** What the parts of a field in the editor need. */
export interface FieldParts extends Pick<DraftField, 'draftEdit' | 'onEdit' | 'onReset'> {
  locator: string
  property: string
  definition: PropertyDefinition
  /** The saved value. */
  view: PropertyView | null
  /** What the field shows where it has no edit. */
  shown: PropertyView | null
  isOpen: boolean
}
