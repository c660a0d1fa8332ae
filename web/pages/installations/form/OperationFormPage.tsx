import { useNavigate } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import { useWatch } from 'react-hook-form'
import type { ChangeRequestDetail, Operation } from '#contract/console-api/shapes.ts'
import { paths, type ScopeKey } from '../../../addresses/paths.ts'
import { FormPage } from '../../../forms/dialogs/FormPage.tsx'
import { ReasonField } from '../../../forms/fields/ReasonField.tsx'
import { useSubmit } from '../../../forms/form/use-submit.ts'
import { useRichText, useText } from '../../../i18n/use-text.ts'
import { Button } from '../../../ui/Button.tsx'
import { Section } from '../../../ui/Card.tsx'
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx'
import { LinkButton, type LinkTarget } from '../../../ui/Link.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { Time } from '../../../ui/Time.tsx'
import {
  EditedNotice,
  isEditOf,
  useSaveRequest,
  withKeptValues,
} from '../../../subjects/change-requests/edited-request.tsx'
import { ShareDraft } from '../../../subjects/change-requests/ShareDraft.tsx'
import {
  needsReview,
  retitled,
  useRequestReview,
  type OperationProposal,
} from '../../../subjects/change-requests/use-request-review.ts'
import type { Gate } from '../../../subjects/gate/use-gate.tsx'
import { OperationPlanView } from '../../../subjects/plan/OperationPlanView.tsx'
import type { OperationPlanState } from '../../../subjects/plan/use-operation-plan.ts'
import { needsSignIn, SignInAgain } from '../../../subjects/sign-in/SignInAgain.tsx'
import type { FormDraft } from '../../../subjects/operation-form/use-form-draft.ts'
import type {
  OperationValues,
  useOperationForm,
} from '../../../subjects/operation-form/use-operation-form.ts'

/** An install or upgrade as it is entered. */
interface EnteredOperation {
  entered: ReturnType<typeof useOperationForm>
  draft: FormDraft
  /** Null before one is chosen. */
  scope: ScopeKey | null
  gate: Gate
  planned: OperationPlanState<never>
  /** Whether there can be a plan. */
  isPlanned: boolean
  /** Why it cannot be started now, though a request may ask for it. */
  notNow: string | false
  /** The change request that asks for it, and is edited. */
  edited: ChangeRequestDetail | null
  /** The title that the edited request got for what it asks for, unless a person wrote one. */
  titleBefore: string | null
  /** What a change request would ask for; null while something is not chosen. */
  proposalOf: (values: OperationValues) => OperationProposal | null
  /** Starts it; null while something is not chosen. */
  start: (values: OperationValues) => Promise<{ operation: Pick<Operation, 'operationId'> } | null>
}

/** Sends what is entered: to the change request that is edited, as a new one if it needs a review, or at once. */
export function useOperationRequest(entry: EnteredOperation) {
  const { entered, draft, gate, planned, edited, titleBefore, proposalOf, start } = entry
  const navigate = useNavigate()
  const [review, request] = [useRequestReview(), useSaveRequest()]
  const isGuarded = needsReview(planned.plan?.problems) && !gate.isOverriding
  // the draft of a request is not stored in this browser
  const isEditUnsaved = useWatch({
    control: entered.form.control,
    compute: (values) => edited !== null && isEditOf(edited, values),
  })
  const send = async (values: OperationValues) => {
    const proposal = proposalOf(values)
    if (proposal === null) return
    if (edited !== null) {
      const { title: now, ...body } = withKeptValues(proposal, edited)
      return request.save(edited, { ...body, ...retitled(edited, { before: titleBefore, now }) })
    }
    if (isGuarded) return review.request(proposal, { submit: true, beforeLeaving: () => draft.remove() })
    const started = await start(values)
    if (started === null) return
    draft.remove()
    await navigate({ ...paths.operation(started.operation.operationId), ignoreBlocker: true })
  }
  return {
    ...entry,
    isGuarded,
    /** Whether leaving the page would lose something. */
    hasUnkept: entered.isSensitiveTyped || isEditUnsaved,
    submit: useSubmit(entered.form, send, entered.fieldOf),
  }
}

/** The page of an install or upgrade: what applies to all of them, around the parts of one. */
export function OperationFormPage({
  operation,
  action,
  reason,
  refused,
  cancel,
  docked,
  children,
}: {
  operation: ReturnType<typeof useOperationRequest>
  /** The label of the button that starts it. */
  action: string
  /** The label of the reason. */
  reason: string
  /** Why nothing can be done with what is entered. */
  refused: string | false
  /** Where to go without it. */
  cancel: LinkTarget
  docked?: ReactNode
  children: ReactNode
}) {
  const t = useText()
  const { entered, draft, scope, gate, planned, isPlanned, notNow, edited, isGuarded, submit } = operation
  return (
    <FormPage
      form={entered.form}
      onSubmit={submit.onSubmit}
      busy={submit.busy}
      error={submit.error}
      submit={edited !== null ? t('changes.editing.save') : isGuarded ? t('changes.submit') : action}
      invalid={entered.invalid}
      blockedReason={
        (edited === null && notNow) || refused || (edited === null && !isGuarded && gate.blocked)
      }
      actions={
        <>
          {edited === null && (
            <ShareDraft
              form={entered.form}
              scope={scope}
              proposalOf={operation.proposalOf}
              blockedReason={refused}
              onShared={() => draft.remove()}
            />
          )}
          {/* a phone has no room for it, and the link above the heading leads there too */}
          <LinkButton to={cancel} className="max-sm:hidden">
            {t('common.cancel')}
          </LinkButton>
        </>
      }
      errorActions={(code) => needsSignIn(code) && <SignInAgain keep={() => true} />}
      docked={docked}
      className="space-y-4"
    >
      {edited === null ? gate.choice : <EditedNotice request={edited} />}
      <RestoredNotice draft={draft} onClear={entered.clear} />
      {children}
      {isPlanned && (
        <Section title={t('plans.title')} flush>
          <OperationPlanView
            state={planned}
            isAtField={(problem) => entered.fieldOf(problem) !== null}
            isRequested={isGuarded && edited === null && !gate.saysReview}
          />
        </Section>
      )}
      <ReasonField
        control={entered.form.control}
        label={reason}
        need={gate.isOverriding ? 'required' : 'optional'}
        className="max-w-2xl"
      />
    </FormPage>
  )
}

/** Says that earlier input was restored, if it was, and discards it. */
function RestoredNotice({ draft, onClear }: { draft: FormDraft; onClear: () => void }) {
  const t = useText()
  const rich = useRichText()
  const [isAsking, setAsking] = useState(false)
  if (draft.restored === null) return null
  const since = new Date(draft.restored.since).toISOString()
  const discard = () => {
    setAsking(false)
    onClear()
    draft.remove()
    draft.dismiss()
  }
  return (
    <Notice
      tone="info"
      live
      actions={
        <Button size="sm" onClick={() => setAsking(true)}>
          {t('installations.draft.discard')}
        </Button>
      }
    >
      {rich('installations.draft.restored', { when: <Time at={since} /> })}
      <ConfirmDialog
        open={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={discard}
        title={t('installations.draft.discard.title')}
        confirm={t('installations.draft.discard')}
        danger
        busy={false}
        error={null}
      >
        {t('installations.draft.discard.text')}
      </ConfirmDialog>
    </Notice>
  )
}
