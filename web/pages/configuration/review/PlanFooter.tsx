import { useEffect, useEffectEvent } from 'react'
import { useText } from '../../../i18n/use-text.ts'
import { Button } from '../../../ui/Button.tsx'
import { Keys } from '../../../ui/Keys.tsx'
import { needsReview, withoutReview } from '../../../subjects/change-requests/use-request-review.ts'
import { useEditor } from '../editor/editor-context.ts'
import { useProposal } from '../editor/use-proposal.ts'
import { isOfGate } from '../../../subjects/gate/use-gate.tsx'
import { countEdits } from '../draft/draft.ts'
import { changesByInstallation } from './planned.ts'
import type { Planned } from './PlanStep.tsx'

/** Saves the plan, or shows why it cannot be saved. After a lost response, repeats the same request. */
export function PlanFooter({
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

  if (save.state === 'uncertain') {
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
