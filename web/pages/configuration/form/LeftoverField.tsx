import type { PropertyView } from '#contract/console-api/shapes.ts'
import { useText } from '../../../i18n/use-text.ts'
import { Button } from '../../../ui/Button.tsx'
import { PropertyValueView } from '../../../ui/values/ValueView.tsx'
import { useEditor } from '../editor/editor-context.ts'
import { controlId, rowId } from '../editor/focus-property.ts'
import { useDraftField } from './use-draft-field.ts'

/** A value that no longer has a definition: it can only be removed. */
export function LeftoverField({
  locator,
  property,
  view,
  isLocked,
}: {
  locator: string
  property: string
  view: PropertyView | null
  isLocked: boolean
}) {
  const t = useText()
  const { mayWrite, isSaving } = useEditor()
  const {
    draftEdit: edit,
    onEdit,
    onReset,
  } = useDraftField({ locator, property, definition: undefined, view })
  const isOpen = mayWrite && !isSaving && (!isLocked || edit !== undefined)
  return (
    <div
      id={rowId(property)}
      className="flex flex-wrap items-center gap-x-4 gap-y-1 border-t border-line py-3 first:border-t-0"
    >
      <span className="mono min-w-40 font-medium wrap-anywhere">{property}</span>
      <span className={edit === undefined ? 'min-w-0 flex-1' : 'min-w-0 flex-1 line-through'}>
        <PropertyValueView value={view} />
      </span>
      {isOpen && (
        <Button
          id={controlId(property)}
          size="sm"
          onClick={() => (edit === undefined ? onEdit({ kind: 'removed' }) : onReset())}
        >
          {edit === undefined ? t('forms.remove') : t('configuration.field.reset')}
        </Button>
      )}
    </div>
  )
}
