import { useNavigate } from '@tanstack/react-router'
import { TITLE_MAX } from '#contract/protocol/limits.ts'
import type { ChangeRequestDetail, NewChangeRequest, PlanProblem } from '#contract/console-api/shapes.ts'
import type { Call } from '../../api/client.ts'
import { useWrite } from '../../api/write.ts'
import { paths } from '../../addresses/paths.ts'
import { useText } from '../../i18n/use-text.ts'
import { showToast } from '../../ui/toast.ts'

/** Whether the only way to make a planned change is a change request. */
export const needsReview = (problems: readonly Pick<PlanProblem, 'errorCode'>[] | undefined): boolean =>
  problems?.some(({ errorCode }) => errorCode === 'APPROVAL_REQUIRED') === true

/** The problems that a change request has too. */
export const withoutReview = <Problem extends Pick<PlanProblem, 'errorCode'>>(
  problems: readonly Problem[],
): Problem[] => problems.filter(({ errorCode }) => errorCode !== 'APPROVAL_REQUIRED')

/** A change request without what is filled in here. */
export type Proposal = Call<'POST /change-requests'>['body'] extends infer Body
  ? Body extends NewChangeRequest
    ? Omit<Body, 'submit'>
    : never
  : never

export type OperationProposal = Extract<Proposal, { kind: 'INSTALL' | 'UPGRADE' }>

/** A title that names something with a long title. */
const cutOff = (title: string): string =>
  title.length <= TITLE_MAX ? title : `${title.slice(0, TITLE_MAX - 1)}…`

/** The new title of an edited request: one that only names what it asked for names what it asks for now, one that a person wrote stays. */
export const retitled = (
  { title }: Pick<ChangeRequestDetail, 'title'>,
  { before, now }: { before: string | null; now: string },
): { title?: string } => (before !== null && title === cutOff(before) ? { title: cutOff(now) } : {})

const pendingOf = ({ submit }: { submit?: boolean | undefined }): 'draft' | 'submit' =>
  submit === true ? 'submit' : 'draft'

/** Makes a change request, submitted or as a draft, and opens it. */
export function useRequestReview() {
  const t = useText()
  const navigate = useNavigate()
  const create = useWrite('POST /change-requests', {
    invalidates: ['GET /change-requests', 'GET /change-requests/waiting'],
  })
  return {
    /** What is on its way. */
    pending: create.isPending ? pendingOf(create.variables.body) : null,
    error: create.error,
    reset: () => create.reset(),
    /** Rejects with an ApiError. `beforeLeaving` runs once it is made: what is left behind is stored there now. */
    request: async (
      proposal: Proposal,
      { submit, beforeLeaving }: { submit: boolean; beforeLeaving?: () => void },
    ): Promise<void> => {
      const { changeRequest } = await create.mutateAsync({
        body: { ...proposal, title: cutOff(proposal.title), submit },
      })
      beforeLeaving?.()
      showToast({ text: t(submit ? 'changes.made.submitted' : 'changes.made.draft') })
      await navigate({ ...paths.changeRequest(changeRequest.changeRequestId), ignoreBlocker: true })
    },
  }
}
