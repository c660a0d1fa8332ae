import type { MergeState } from '../editor/use-merge.ts'
import { useState } from 'react'
import { useText } from '../../../i18n/use-text.ts'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { SkeletonLines } from '../../../ui/Skeleton.tsx'
import { needsChoice, rebase, type Choice, type Merged } from '../editor/merge.ts'
import { useEditor } from '../editor/editor-context.ts'
import { ConflictFooter, ConflictStep } from './ConflictStep.tsx'
import { PlanFooter } from './PlanFooter.tsx'
import { PlanStep } from './PlanStep.tsx'
import { usePlan } from './use-plan.ts'
import type { ReviewProps } from './review-props.ts'

/**
 * Between the form and the save: first whatever others saved meanwhile, then the plan. Whenever yet another save comes in
 * between, it is the first step again.
 */
export function ReviewDialog(props: ReviewProps) {
  const t = useText()
  const { onClose, merge, save } = props
  const { configuration, store } = useEditor()
  const [choices, setChoices] = useState<ReadonlyMap<string, Choice>>(new Map())
  const [reason, setReason] = useState('')
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const isBusy = save.state === 'saving'
  const isConflict = save.state === 'idle' && merge.behind.length > 0
  const plan = usePlan({ configuration, draft: props.draft, isReady: !isConflict && save.state === 'idle' })

  const looked = useStableMerge(merge)
  const choiceOf = (merged: Merged) => choices.get(keyOf(merged))
  const open = merge.behind.filter((merged) => needsChoice(merged, choiceOf(merged))).length
  const wasRefused = save.error !== null && save.state === 'idle'

  return (
    <Dialog
      open
      onClose={onClose}
      busy={isBusy}
      size="lg"
      title={t(isConflict ? 'configuration.conflict.title' : 'configuration.review.title')}
      description={
        isConflict
          ? t(wasRefused ? 'configuration.conflict.afterSave' : 'configuration.conflict.before')
          : // while the answer is out, the newest snapshot may be the very one that was asked for
            save.state === 'idle' &&
            t('configuration.review.onTop', { version: String(configuration.snapshotVersion) })
      }
      footer={
        isConflict ? (
          <ConflictFooter
            open={open}
            isChecking={merge.isChecking}
            onClose={onClose}
            onApply={() => {
              store.apply(rebase(merge.behind, choiceOf, configuration.snapshotVersion))
              save.clearError()
            }}
          />
        ) : (
          <PlanFooter {...props} plan={plan} left={left} reason={reason} />
        )
      }
    >
      {merge.isChecking && looked === merge ? (
        <SkeletonLines lines={6} />
      ) : isConflict ? (
        <ConflictStep
          merge={looked}
          choiceOf={choiceOf}
          onChoose={(choice) => setChoices((before) => new Map(before).set(keyOf(choice.of), choice))}
        />
      ) : (
        <PlanStep
          {...props}
          plan={plan}
          reason={reason}
          onReason={setReason}
          left={left}
          onLeft={(id, isLeft) =>
            setLeft((before) => {
              const next = new Set(before)
              if (isLeft) next.add(id)
              else next.delete(id)
              return next
            })
          }
        />
      )}
    </Dialog>
  )
}

/**
 * The merge as it was looked up last: while another save is being looked up the conflict stays as it is shown, and so does
 * what is typed into it. The very merge where nothing was shown yet.
 */
function useStableMerge(merge: MergeState): MergeState {
  const [looked, setLooked] = useState<MergeState | null>(null)
  if (!merge.isChecking && looked !== merge) setLooked(merge)
  return merge.isChecking && looked !== null && looked.behind.length > 0 ? looked : merge
}

const keyOf = ({ locator, property }: { locator: string; property: string }) => `${locator} ${property}`
