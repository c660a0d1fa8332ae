import { memo } from 'react'
import type { PropertyView } from '#contract/console-api/shapes.ts'
import { deepEqual } from '#contract/json-schema/json.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import { sameView, isSet, valueOf } from '../../../forms/property/property-value.ts'
import { useText } from '../../../i18n/use-text.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { PropertyValueView } from '../../../ui/value/ValueView.tsx'
import { useEditor } from '../editor/editor-context.ts'
import { labelId } from '../editor/focus-property.ts'
import { TextButton } from '../../../forms/property/controls/TextButton.tsx'
import { setData } from '../../../forms/property/property-edit.ts'
import type { DraftField } from './use-draft-field.ts'

/** That the value is edited, and what it was, on one line. Typing does not render it again. */
export const EditStatus = memo(function EditStatus({
  property,
  isRemoved,
  base,
  isOpen,
  onReset,
}: Pick<FieldParts, 'property' | 'isOpen' | 'onReset'> & {
  isRemoved: boolean
  /** The value before the edit. */
  base: PropertyView | null
}) {
  const t = useText()
  return (
    <span className="flex min-w-0 items-center gap-x-2">
      <span className="inline-flex items-center gap-1 font-medium text-accent">
        <Icon name="edit" size={12} />
        {t(isRemoved ? 'configuration.field.willBeRemoved' : 'configuration.field.edited')}
      </span>
      <span className="flex min-w-0 items-center gap-1.5 text-muted">
        {t('configuration.field.was')}
        <span className="line-clamp-1 max-w-64 min-w-0 text-ink">
          <PropertyValueView value={base} />
        </span>
      </span>
      {isOpen && (
        <TextButton of={labelId(property)} onClick={onReset} isAccent>
          {t('configuration.field.reset')}
        </TextButton>
      )}
    </span>
  )
})

/** Notes below the field: what others have saved since the edit began. */
export function FieldNotes({ locator, property, view, shown, draftEdit, onReset }: FieldParts) {
  const t = useText()
  const { mergedAt, openReview } = useEditor()
  const merged = mergedAt(locator, property)
  const verdict = merged?.verdict
  const isOtherwise = verdict?.kind === 'conflict' || verdict?.kind === 'merged' || verdict?.kind === 'undone'
  const by = verdict?.kind === 'conflict' || verdict?.kind === 'merged' ? verdict.by : null
  return (
    <>
      {merged !== undefined && isOtherwise && (
        <Theirs
          title={
            by === null
              ? t('configuration.field.theirsUnknown')
              : t('configuration.field.theirs', { person: by.savedBy.name })
          }
          view={merged.theirs}
          of={labelId(property)}
          action={t('configuration.field.compare')}
          onAction={openReview}
        />
      )}
      {draftEdit === undefined && !sameView(shown, view) && (
        <Theirs
          title={t('configuration.field.theirsUnknown')}
          view={view}
          of={labelId(property)}
          action={t('configuration.conflict.theirs')}
          onAction={onReset}
        />
      )}
    </>
  )
}

/** What others have saved since the edit began. */
function Theirs({
  of,
  title,
  view,
  action,
  onAction,
}: {
  of: string
  title: string
  view: PropertyView | null
  action: string
  onAction: () => void
}) {
  return (
    <div className="mt-2 flex flex-wrap items-center gap-x-2 gap-y-1 rounded-md border border-doubt-line bg-doubt-tint px-2.5 py-1.5 text-xs">
      <span className="inline-flex items-center gap-1.5 font-medium">
        <Icon name="warning" size={12} className="text-doubt" />
        {title}
      </span>
      <span className="min-w-0">
        <PropertyValueView value={view} />
      </span>
      <TextButton of={of} onClick={onAction} isAccent>
        {action}
      </TextButton>
    </div>
  )
}

/** Other actions on the value: use the default, or remove the value. */
export function FieldHints(parts: FieldParts) {
  const { property, definition, onEdit } = parts
  const of = labelId(property)
  const t = useText()
  const { default: standard } = definition
  return (
    <>
      {offersDefault(parts) && standard !== undefined && (
        <TextButton of={of} className={ON_HOVER} onClick={() => onEdit(setData(definition, standard))}>
          {t('forms.setDefault')}
        </TextButton>
      )}
      {isRemovable(parts) && (
        <TextButton of={of} className={ON_HOVER} onClick={() => onEdit({ kind: 'removed' })}>
          {t('forms.remove')}
        </TextButton>
      )}
    </>
  )
}

/** Whether there are any hints to show. */
export const hasHints = (parts: FieldParts): boolean => offersDefault(parts) || isRemovable(parts)

const isRemovable = ({ definition, shown, draftEdit, isOpen }: FieldParts): boolean =>
  isOpen &&
  definition.required !== true &&
  draftEdit?.edit.kind !== 'removed' &&
  (draftEdit !== undefined || isSet(shown))

function offersDefault({ definition, shown, draftEdit, isOpen }: FieldParts): boolean {
  const { default: standard, isSensitive } = definition
  if (!isOpen || standard === undefined || isSensitive === true) return false
  const value =
    draftEdit === undefined ? valueOf(shown) : draftEdit.edit.kind === 'set' ? draftEdit.edit.value : null
  return value?.['@type'] !== 'Data' || !deepEqual(value.value, standard)
}

/**
 * Visible on hover and focus only, since it would be noise at each of two hundred fields. Always visible without a
 * mouse.
 */
const ON_HOVER = '[@media(hover:hover)]:opacity-0 group-hover:opacity-100 group-focus-within:opacity-100'

/** The props shared by the parts of a field in the editor. */
interface FieldParts extends Pick<DraftField, 'draftEdit' | 'onEdit' | 'onReset'> {
  locator: string
  property: string
  definition: PropertyDefinition
  /** The saved value. */
  view: PropertyView | null
  /** The value that the field shows without an edit. */
  shown: PropertyView | null
  isOpen: boolean
}
