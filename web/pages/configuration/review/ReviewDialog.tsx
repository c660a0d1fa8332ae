import { useState } from 'react'
import type { MergeState } from '../editor/use-merge.ts'
import { useText } from '../../../i18n/use-text.ts'
import { Dialog } from '../../../ui/Dialog.tsx'
import { SkeletonLines } from '../../../ui/Skeleton.tsx'
import { chooseSide, countOpen, openPaths, rebase, type Choice, type Merged } from '../draft/merge.ts'
import { useEditor } from '../editor/editor-context.ts'
import { ConflictFooter, ConflictStep } from './ConflictStep.tsx'
import { PlanFooter } from './PlanFooter.tsx'
import { PlanStep } from './PlanStep.tsx'
import { usePlan } from './planned.ts'
import type { ReviewProps } from './review-props.ts'

/**
 * The steps between the form and the save: first a merge with what others have saved, then the plan. Another save in
 * between returns to the first step.
 */
export function ReviewDialog(props: ReviewProps) {
  const t = useText()
  const { onClose, merge, save } = props
  const { configuration, store, loseChange } = useEditor()
  const [choices, setChoices] = useState<ReadonlyMap<string, Choice>>(new Map())
  const [reason, setReason] = useState(props.arrival?.reason ?? '')
  const [excluded, setExcluded] = useState<ReadonlySet<string>>(new Set())
  const isBusy = save.state === 'saving'
  const isConflict = save.state === 'idle' && merge.behind.length > 0
  const plan = usePlan({ configuration, draft: props.draft, isReady: !isConflict && save.state === 'idle' })

  const looked = useStableMerge(merge)
  const choiceOf = (merged: Merged) => choices.get(keyOf(merged))
  const open = merge.behind.reduce((sum, merged) => sum + countOpen(merged, choiceOf(merged)), 0)
  const choose = (made: readonly Choice[]) =>
    setChoices((before) => new Map([...before, ...made.map((choice) => [keyOf(choice.of), choice] as const)]))
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
          : // until the response arrives, the newest snapshot may be the one of this save
            save.state === 'idle' &&
            t('configuration.review.onTop', { version: String(configuration.snapshotVersion) })
      }
      footer={
        isConflict ? (
          <ConflictFooter
            open={open}
            total={merge.behind.reduce((sum, merged) => sum + openPaths(merged).length, 0)}
            gone={merge.behind.filter(({ verdict }) => verdict.kind === 'gone').length}
            onAll={(side) =>
              choose(merge.behind.map((merged) => chooseSide(merged, side, openPaths(merged))))
            }
            isChecking={merge.isChecking}
            onClose={onClose}
            onApply={() => {
              loseChange(
                () => store.apply(rebase(merge.behind, choiceOf, configuration.snapshotVersion)),
                t('configuration.undo.merged'),
              )
              save.clearError()
            }}
          />
        ) : (
          <PlanFooter {...props} plan={plan} excluded={excluded} reason={reason} />
        )
      }
    >
      {merge.isChecking && looked === merge ? (
        <SkeletonLines lines={6} />
      ) : isConflict ? (
        <ConflictStep merge={looked} choiceOf={choiceOf} onChoose={(choice) => choose([choice])} />
      ) : (
        <PlanStep
          {...props}
          plan={plan}
          reason={reason}
          onReason={setReason}
          excluded={excluded}
          onExclude={(id, isExcluded) =>
            setExcluded((before) => {
              const next = new Set(before)
              if (isExcluded) next.add(id)
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
 * The last complete merge: while the history of another save is loading, the conflict and the input in it stay as
 * shown. The current merge if none was shown yet.
 */
function useStableMerge(merge: MergeState): MergeState {
  const [looked, setLooked] = useState<MergeState | null>(null)
  if (!merge.isChecking && looked !== merge) setLooked(merge)
  return merge.isChecking && looked !== null && looked.behind.length > 0 ? looked : merge
}

const keyOf = ({ locator, property }: { locator: string; property: string }) => `${locator} ${property}`
