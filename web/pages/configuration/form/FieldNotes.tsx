import { memo } from 'react'
import type { PropertyView } from '#contract/console-api/shapes.ts'
import { deepEqual } from '#contract/json-schema/json.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import { isSet, valueOf } from '../../../forms/property/property-value.ts'
import { useText } from '../../../i18n/use-text.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { PropertyValueView } from '../../../ui/value/ValueView.tsx'
import { useEditor, labelId } from '../editor/editor-context.ts'
import { TextButton } from '../../../forms/property/controls/TextButton.tsx'
import { setData } from '../../../forms/property/property-edit.ts'
import type { Merged } from '../draft/merge.ts'
import type { DraftField } from './use-draft-field.ts'

/**
 * That the value is edited, and what it was, or what others have saved since, in one line: nothing that others do changes
 * its height. Typing does not render it again.
 */
export const EditStatus = memo(function EditStatus({
  property,
  isRemoved,
  base,
  isOpen,
  isLocked,
  theirs,
  onReset,
}: Pick<FieldParts, 'property' | 'isOpen' | 'onReset'> & {
  isRemoved: boolean
  /** The value before the edit. */
  base: PropertyView | null
  isLocked: boolean
  /** What others have saved since the edit began, if it differs. */
  theirs: Merged | undefined
}) {
  const t = useText()
  const { openReview } = useEditor()
  const verdict = theirs?.verdict
  const by = verdict?.kind === 'conflict' || verdict?.kind === 'merged' ? verdict.by : null
  return (
    <>
      {theirs === undefined ? (
        <>
          <span className="inline-flex shrink-0 items-center gap-1 font-medium text-accent">
            {isLocked ? <Lock is="draft" /> : <Icon name="edit" size={12} />}
            {t(isRemoved ? 'configuration.field.willBeRemoved' : 'configuration.field.edited')}
          </span>
          {fitsOnLine(base) && (
            <span className="flex min-w-0 items-center gap-1.5 text-muted">
              <span className="shrink-0">{t('configuration.field.was')}</span>
              <span className="line-clamp-1 max-w-64 min-w-0 text-ink">
                <PropertyValueView value={base} />
              </span>
            </span>
          )}
        </>
      ) : (
        <Theirs
          of={labelId(property)}
          title={
            by === null
              ? t('configuration.field.theirsUnknown')
              : t('configuration.field.theirs', { person: by.savedBy.name })
          }
          view={theirs.theirs}
          action={t('configuration.field.compare')}
          onAction={openReview}
        />
      )}
      {isOpen && (
        <TextButton of={labelId(property)} onClick={onReset} isAccent>
          {t('configuration.field.reset')}
        </TextButton>
      )}
    </>
  )
})

/** What others have saved since the person began to type, where what is typed is not an edit. */
export function NewerValue({ property, view, onReset }: Pick<FieldParts, 'property' | 'view' | 'onReset'>) {
  const t = useText()
  return (
    <Theirs
      of={labelId(property)}
      title={t('configuration.field.theirsUnknown')}
      view={view}
      action={t('configuration.conflict.theirs')}
      onAction={onReset}
    />
  )
}

/** That an operation or a save locks the field, as a glyph: why is said once, in the dock. */
export function Lock({ is }: { is: 'draft' | 'readOnly' | 'saving' }) {
  const t = useText()
  const text = t(`configuration.field.locked.${is}`)
  return (
    <span title={text} className="inline-flex shrink-0">
      <Icon name="lock" size={12} />
      <span className="sr-only">{text}</span>
    </span>
  )
}

/** Whether a value can be read in one line. Objects, lists and maps are compared in the review, leaf by leaf. */
const fitsOnLine = (view: PropertyView | null): boolean => {
  if (view?.['@type'] !== 'Data' || 'isSensitive' in view)
    return view === null || view['@type'] === 'Data' || view['@type'] === 'ServiceReference'
  return typeof view.value !== 'object' || view.value === null
}

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
  const t = useText()
  const isShown = fitsOnLine(view)
  return (
    <>
      {/* factors below 1 would leave a part of what is too much */}
      <span className="flex min-w-10 shrink-2 items-center gap-1 font-medium text-ink" title={title}>
        <Icon name="warning" size={12} className="shrink-0 text-doubt" />
        <span className="truncate">
          {title}
          {isShown && t('common.punctuation.colon')}
        </span>
      </span>
      {isShown && (
        // a narrow form has room for the buttons only; the comparison has the value
        <span className="line-clamp-1 max-w-64 min-w-0 text-ink @max-[42rem]/form:hidden">
          <PropertyValueView value={view} />
        </span>
      )}
      <TextButton of={of} onClick={onAction} isAccent>
        {action}
      </TextButton>
    </>
  )
}

/** Other actions on the value: use the default, or remove the value. */
export function FieldHints(parts: FieldParts) {
  const { property, definition, draftEdit } = parts
  const { loseChange } = useEditor()
  // what was typed here before is lost
  const onEdit: FieldParts['onEdit'] = (edit) =>
    draftEdit === undefined ? parts.onEdit(edit) : loseChange(() => parts.onEdit(edit))
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
