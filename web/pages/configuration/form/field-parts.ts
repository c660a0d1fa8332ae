import type { PropertyView } from '#contract/console-api/shapes.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { DraftField } from './use-draft-field.ts'

/** The props shared by the parts of a field in the editor. */
export interface FieldParts extends Pick<DraftField, 'draftEdit' | 'onEdit' | 'onReset'> {
  locator: string
  property: string
  definition: PropertyDefinition
  /** The saved value. */
  view: PropertyView | null
  /** The value that the field shows without an edit. */
  shown: PropertyView | null
  isOpen: boolean
}
