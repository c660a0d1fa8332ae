import type { PropertyView } from '#contract/console-api/shapes.ts'
import { deepEqual } from '#contract/json-schema/json.ts'
import { setData } from '../../../forms/edit.ts'
import { useText } from '../../../i18n/use-text.ts'
import { cx } from '../../../ui/class-names.ts'
import { Icon } from '../../../ui/icons/Icon.tsx'
import { PropertyValueView } from '../../../ui/values/ValueView.tsx'
import type { DraftEdit } from '../draft/draft.ts'
import { useEditor } from '../editor-context.ts'
import { isSet, sameView, valueOf } from '../view.ts'
import { useFieldEdit } from './use-field-edit.ts'
import type { PropertyFieldProps } from './property-field-props.ts'

/** Under the control: its limits, what else can be done with the value, what it was, and what others made of it. */
export function FieldNotes(
  props: PropertyFieldProps & {
    /** What the field shows where it has no edit. */
    shown: PropertyView | null
    edit: DraftEdit | undefined
    isOpen: boolean
    limits: string
    limitsId: string
  },
) {
  const { locator, property, definition, view, shown, edit, isOpen, limits, limitsId } = props
  const t = useText()
  const { mergedAt, openReview } = useEditor()
  const { onEdit, onReset } = useFieldEdit(props)
  const merged = mergedAt(locator, property)
  const isRemovable =
    isOpen &&
    definition.required !== true &&
    edit?.edit.kind !== 'removed' &&
    (edit !== undefined || isSet(shown))
  const usual = definition.default
  const saved = valueOf(shown)
  const isUsual =
    edit === undefined
      ? saved?.['@type'] === 'Data' && deepEqual(saved.value, usual)
      : edit.edit.kind === 'set' &&
        edit.edit.value['@type'] === 'Data' &&
        deepEqual(edit.edit.value.value, usual)
  const offersDefault = isOpen && usual !== undefined && !isUsual && definition.isSensitive !== true
  const hasLine = limits !== '' || isRemovable || offersDefault

  return (
    <>
      {hasLine && (
        <div
          className={cx(
            'mt-1 flex min-h-5 flex-wrap items-center gap-x-3 text-xs text-faint',
            // what only comes up under the mouse lies in the space between two fields
            limits === '' && edit === undefined && '[@media(hover:hover)]:-mb-5',
          )}
        >
          {limits !== '' && <span id={limitsId}>{limits}</span>}
          {offersDefault && (
            <Small className={QUIET} onClick={() => onEdit(setData(definition, usual))}>
              {t('forms.setDefault')}
            </Small>
          )}
          {isRemovable && (
            <Small className={QUIET} onClick={() => onEdit({ kind: 'removed' })}>
              {t('forms.remove')}
            </Small>
          )}
        </div>
      )}
      {edit !== undefined && (
        <div className="mt-1.5 flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1 text-xs">
          <span className="inline-flex items-center gap-1 font-medium text-accent">
            <Icon name="edit" size={12} />
            {t(
              edit.edit.kind === 'removed'
                ? 'configuration.field.willBeRemoved'
                : 'configuration.field.edited',
            )}
          </span>
          <span className="flex min-w-0 items-center gap-1.5 text-muted">
            {t('configuration.field.was')}
            <span className="min-w-0 text-ink">
              <PropertyValueView value={edit.base} />
            </span>
          </span>
          {isOpen && (
            <Small onClick={onReset} className="text-accent">
              {t('configuration.field.reset')}
            </Small>
          )}
        </div>
      )}
      {merged?.verdict.kind === 'conflict' && (
        <Theirs
          title={
            merged.verdict.by === null
              ? t('configuration.field.theirsUnknown')
              : t('configuration.field.theirs', { person: merged.verdict.by.savedBy.name })
          }
          view={merged.theirs}
          action={t('configuration.field.compare')}
          onAction={openReview}
        />
      )}
      {edit === undefined && !sameView(shown, view) && (
        <Theirs
          title={t('configuration.field.theirsUnknown')}
          view={view}
          action={t('configuration.conflict.theirs')}
          onAction={onReset}
        />
      )}
    </>
  )
}

/** What others have saved since the edit began. */
function Theirs({
  title,
  view,
  action,
  onAction,
}: {
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
      <Small onClick={onAction} className="text-accent">
        {action}
      </Small>
    </div>
  )
}

/** Only where it is looked at: under each of two hundred fields it would be noise. Without a mouse it is always there. */
const QUIET =
  'text-muted hover:text-ink [@media(hover:hover)]:opacity-0 group-hover:opacity-100 group-focus-within:opacity-100'

function Small({
  onClick,
  className,
  children,
}: {
  onClick: () => void
  className?: string
  children: string
}) {
  return (
    <button
      type="button"
      onClick={onClick}
      className={cx('h-6 rounded-sm font-medium hover:underline', className ?? 'text-muted hover:text-ink')}
    >
      {children}
    </button>
  )
}
