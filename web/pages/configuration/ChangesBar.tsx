import { useState } from 'react'
import { useText } from '../../i18n/use-text.ts'
import { Button } from '../../ui/Button.tsx'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { EnvironmentWord } from '../../ui/EnvironmentMark.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Keys } from '../../ui/Keys.tsx'
import type { Draft } from './draft/draft.ts'
import type { EditProblem } from './draft/marks.ts'
import { useEditor } from './editor/editor-context.ts'
import { useProposal } from './editor/use-proposal.ts'

/** The unsaved changes: how many, how many are invalid, and the buttons to share, review or discard them. */
export function ChangesBar({
  edits,
  draft,
  problems,
  blockedReason,
}: {
  edits: number
  draft: Draft
  problems: readonly EditProblem[]
  /** Why the draft cannot be shared yet. */
  blockedReason: string | false
}) {
  const t = useText()
  const { store, edited, goTo, loseChange, openReview } = useEditor()
  const proposal = useProposal({ draft, reason: '', arrival: null })
  const [asks, setAsks] = useState(false)
  const first = problems[0]
  const where = !store.isStored() ? '.refused' : store.hasSensitive() ? '.sensitive' : ''
  return (
    <div
      role="region"
      aria-label={t('configuration.bar.label')}
      className="flex flex-wrap items-center gap-x-4 gap-y-2 py-2 pr-2 pl-4 max-sm:gap-x-1"
    >
      <EnvironmentWord />
      <p className="flex flex-1 flex-wrap items-baseline gap-x-2">
        <span className="font-semibold whitespace-nowrap">
          {t('configuration.bar.changes', { n: edits })}
        </span>
        <span className="text-muted max-sm:hidden">
          {t(`configuration.bar.resources${where}`, { n: Object.keys(draft).length })}
        </span>
      </p>
      {first !== undefined && (
        <button
          type="button"
          onClick={() => goTo(first.locator, first.property)}
          className="inline-flex h-8 items-center gap-1.5 rounded-md px-2 font-medium whitespace-nowrap text-fail max-sm:px-1 hover:bg-fail-tint"
        >
          <Icon name="failed" size={14} />
          {t('configuration.bar.invalid', { n: problems.length })}
        </button>
      )}
      <span className="flex gap-2">
        <Button variant="quiet" onClick={() => setAsks(true)}>
          {t('configuration.bar.discard')}
        </Button>
        {/* on a phone, the review has it */}
        {edited === null && proposal.may && (
          <Button
            className="max-sm:hidden"
            busy={proposal.pending === 'draft'}
            disabledReason={blockedReason || (problems.length > 0 && t('changes.share.unfinished'))}
            title={t('changes.share.about')}
            onClick={() => void proposal.send({ only: () => true, submit: false })}
          >
            {t('changes.share')}
          </Button>
        )}
        <Button
          variant="primary"
          onClick={openReview}
          aria-keyshortcuts="Control+S Meta+S"
          trailing={
            <span className="ml-1 opacity-80 max-sm:hidden">
              <Keys keys={['mod', 'S']} />
            </span>
          }
        >
          {t('configuration.bar.review')}
        </Button>
      </span>
      <ConfirmDialog
        open={asks}
        onClose={() => setAsks(false)}
        onConfirm={() => {
          loseChange(() => store.clear(), t('configuration.undo.discarded', { n: edits }))
          setAsks(false)
        }}
        title={t('configuration.discard.title', { n: edits })}
        confirm={t('configuration.discard.confirm')}
        danger
        busy={false}
        error={null}
      >
        <p>{t(`configuration.discard.message${store.hasSensitive() ? '.sensitive' : ''}`)}</p>
      </ConfirmDialog>
    </div>
  )
}
