import { useState, useEffect, useEffectEvent } from 'react'
import type { MergeState } from '../editor/use-merge.ts'
import { useText } from '../../../i18n/use-text.ts'
import { Dialog } from '../../../ui/Dialog.tsx'
import { SkeletonLines } from '../../../ui/Skeleton.tsx'
import { chooseSide, countOpen, openPaths, rebase, type SideChoice, type Merged } from '../draft/merge.ts'
import { useEditor } from '../editor/editor-context.ts'
import { ConflictFooter, ConflictStep } from './ConflictStep.tsx'
import { PlanStep } from './PlanStep.tsx'
import { usePlan, changesByInstallation } from './planned.ts'
import type { ReviewProps } from './review-props.ts'
import { Button } from '../../../ui/Button.tsx'
import { Keys } from '../../../ui/Keys.tsx'
import { needsReview, withoutReview } from '../../../subjects/change-requests/use-request-review.ts'
import { useProposal } from '../editor/use-proposal.ts'
import { isOfGate } from '../../../subjects/gate/use-gate.tsx'
import { countEdits } from '../draft/draft.ts'
import type { Planned } from './PlanStep.tsx'

/**
 * The steps between the form and the save: first a merge with what others have saved, then the plan. Another save in
 * between returns to the first step.
 */
export function ReviewDialog(props: ReviewProps) {
  const t = useText()
  const { onClose, merge, save } = props
  const { configuration, edited, store, loseChange } = useEditor()
  const [choices, setChoices] = useState<ReadonlyMap<string, SideChoice>>(new Map())
  const [reason, setReason] = useState(props.arrival?.reason ?? '')
  const [excluded, setExcluded] = useState<ReadonlySet<string>>(new Set())
  const isBusy = save.state === 'saving'
  const isConflict = save.state === 'idle' && merge.behind.length > 0
  const plan = usePlan({ configuration, draft: props.draft, isReady: !isConflict && save.state === 'idle' })

  const looked = useStableMerge(merge)
  const choiceOf = (merged: Merged) => choices.get(keyOf(merged))
  const open = merge.behind.reduce((sum, merged) => sum + countOpen(merged, choiceOf(merged)), 0)
  const choose = (made: readonly SideChoice[]) =>
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
            t(edited === null ? 'configuration.review.onTop' : 'changes.editing.onTop', {
              version: String(configuration.snapshotVersion),
            })
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

/** Saves the plan, or shows why it cannot be saved. */
function PlanFooter({
  plan,
  problems,
  save,
  draft,
  arrival,
  offers,
  onClose,
  reason,
  excluded,
  merge,
  blockedByDocument,
  gate,
}: Planned) {
  const t = useText()
  const { configuration, edited, mayWrite } = useEditor()
  const proposal = useProposal({ draft, reason, arrival })
  const isProposed = (needsReview(plan.data?.problems) || edited !== null) && !gate.isOverriding
  const planned = plan.data && { ...plan.data, problems: withoutReview(plan.data.problems) }
  const { groups, others } = changesByInstallation(planned, { configuration, draft, offers, isProposed })
  const taken = groups.filter(
    ({ bundleInstallId, claim, locators: edited }) =>
      claim === null && edited.length > 0 && !excluded.has(bundleInstallId),
  )
  const locators = new Set(taken.flatMap((group) => group.locators))
  const incomplete = [
    isProposed
      ? !proposal.may && t('changes.request.permission')
      : !mayWrite && t('configuration.review.blocked.permission'),
    proposal.isUndecided && t('changes.editing.secrets.undecided'),
    merge.isChecking && t('configuration.review.blocked.checking'),
    blockedByDocument && t('configuration.review.blocked.document'),
    problems.some(({ locator }) => locators.has(locator)) && t('configuration.review.blocked.invalid'),
    countEdits(draft) === 0 && t('configuration.review.blocked.nothing'),
    (plan.data === undefined || plan.isFetching || plan.data.stale) && t('configuration.review.blocked.plan'),
    (others.some((problem) => !isOfGate(problem)) || taken.some((group) => group.problems.length > 0)) &&
      t('configuration.review.blocked.refused'),
    taken.length === 0 &&
      t(`configuration.review.blocked.${groups.some(({ claim }) => claim !== null) ? 'claimed' : 'nothing'}`),
  ].find((reason) => typeof reason === 'string')
  // a change can be requested, or its draft shared, while changes are frozen
  const blocking = [
    !isProposed && gate.blocked,
    gate.isOverriding && reason.trim() === '' && t('freezes.override.reason'),
    incomplete,
  ].find((reason) => typeof reason === 'string')
  const only = (locator: string) => locators.has(locator)
  const onSave = () => {
    if (isProposed) return void proposal.send({ only, submit: true })
    void save
      .save({
        draft,
        reason,
        ...gate.override,
        planToken: plan.data?.planToken ?? null,
        only,
      })
      .then((done) => done && onClose())
  }
  useModEnter(() => {
    if (blocking === undefined && save.state === 'idle' && proposal.pending === null) onSave()
  })

  if (save.state === 'uncertain') return <UncertainFooter save={save} onClose={onClose} />
  return (
    <>
      <Button onClick={onClose} disabledReason={save.state === 'saving' && t('common.loading')}>
        {t('configuration.review.back')}
      </Button>
      {edited === null && proposal.may && (
        <Button
          busy={proposal.pending === 'draft'}
          disabledReason={
            incomplete ?? ((save.state === 'saving' || proposal.pending === 'submit') && t('common.loading'))
          }
          title={t('changes.share.about')}
          onClick={() => void proposal.send({ only, submit: false })}
        >
          {t('changes.share')}
        </Button>
      )}
      <Button
        variant="primary"
        busy={save.state === 'saving' || proposal.pending === 'submit'}
        disabledReason={blocking ?? (proposal.pending === 'draft' && t('common.loading'))}
        onClick={onSave}
        aria-keyshortcuts="Control+Enter Meta+Enter"
        trailing={
          <span className="ml-1 opacity-80 max-sm:hidden">
            <Keys keys={['mod', '↵']} />
          </span>
        }
      >
        {isProposed
          ? t(edited !== null ? 'changes.editing.save' : 'changes.submit')
          : taken.length === 0
            ? t('common.save')
            : t('configuration.review.save', { n: taken.length })}
      </Button>
    </>
  )
}

/** Repeats the same request after a lost response, or gives it up. */
function UncertainFooter({ save, onClose }: Pick<Planned, 'save' | 'onClose'>) {
  const t = useText()
  return (
    <>
      <Button
        onClick={() => {
          save.giveUp()
          onClose()
        }}
      >
        {t('configuration.uncertain.giveUp')}
      </Button>
      <Button
        variant="primary"
        icon="retry"
        onClick={() => void save.repeat().then((done) => done && onClose())}
      >
        {t('configuration.uncertain.repeat')}
      </Button>
    </>
  )
}

/** Ctrl/Cmd+Enter triggers the primary action, wherever the focus is in the dialog. */
function useModEnter(onEnter: () => void): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    onEnter()
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => press(event)
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
}
