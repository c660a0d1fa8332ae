import { memo } from 'react'
import type { PropertyView } from '#contract/console-api/shapes.ts'
import { sameView } from '../../../forms/property/property-value.ts'
import { useText } from '../../../i18n/use-text.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { PropertyValueView } from '../../../ui/values/ValueView.tsx'
import { useEditor } from '../editor/editor-context.ts'
import type { FieldParts } from './field-parts.ts'
import { SmallButton } from './SmallButton.tsx'

/** That the value is edited, and what it was, on one line. Typing does not render it again. */
export const EditStatus = memo(function EditStatus({
  isRemoved,
  base,
  isOpen,
  onReset,
}: Pick<FieldParts, 'isOpen' | 'onReset'> & {
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
        <SmallButton onClick={onReset} className="text-accent">
          {t('configuration.field.reset')}
        </SmallButton>
      )}
    </span>
  )
})

/** Notes below the field: what others have saved since the edit began. */
export function FieldNotes({ locator, property, view, shown, draftEdit, onReset }: FieldParts) {
  const t = useText()
  const { mergedAt, openReview } = useEditor()
  const merged = mergedAt(locator, property)
  return (
    <>
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
      {draftEdit === undefined && !sameView(shown, view) && (
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
      <SmallButton onClick={onAction} className="text-accent">
        {action}
      </SmallButton>
    </div>
  )
}
