import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { changeRequestCall } from '#contract/console-api/pages/change-requests.ts'
import type { ChangeRequestDetail } from '#contract/console-api/shapes.ts'
import type { Call } from '../../../api/client.ts'
import { ApiError } from '../../../api/client.ts'
import { apiQuery } from '../../../api/query.ts'
import { useMay } from '../../../api/session.ts'
import { useWrite } from '../../../api/write.ts'
import { paths } from '../../../addresses/paths.ts'
import { errorView } from '../../../i18n/describe-code.ts'
import { useText } from '../../../i18n/use-text.ts'
import { useRequestReview } from '../../../subjects/change-requests/use-request-review.ts'
import { scopeText } from '../../../subjects/scopes/scope-text.ts'
import { showToast } from '../../../ui/toast.ts'
import { changesOf, countEdits, type Draft } from '../draft/draft.ts'
import { useEditor } from './editor-context.ts'
import { partOf } from './use-save.ts'

const route = getRouteApi('/scopes/$env/$runtime/$workspace/configuration')

type PatchBody = Extract<Call<'PATCH /change-requests/{changeRequestId}'>['body'], { kind: 'CONFIGURE' }>
type KeptChanges = NonNullable<PatchBody['input']>['changes']

/** The change request that the address names, if it can still be edited. */
export function useEditedRequest(): ChangeRequestDetail | null {
  const { change } = route.useSearch()
  const { data } = useQuery({
    ...apiQuery('GET /change-requests/{changeRequestId}', changeRequestCall(change ?? '')),
    enabled: change !== undefined,
  })
  return change !== undefined && data?.may.edit === true && data.kind === 'CONFIGURE' ? data : null
}

/** The properties whose values the request hides: they are kept unless the draft has another value. */
export const hiddenIn = ({ input }: ChangeRequestDetail): { locator: string; property: string }[] =>
  Object.entries(input.changes ?? {}).flatMap(([locator, properties]) =>
    Object.entries(properties).flatMap(([property, view]) =>
      view !== null && 'isSensitive' in view && view.isSet ? [{ locator, property }] : [],
    ),
  )

/** Makes a change request of the draft, or stores the draft in the one that is edited. */
export function useProposal({ draft, reason }: { draft: Draft; reason: string }) {
  const t = useText()
  const navigate = useNavigate()
  const { configuration, store } = useEditor()
  const { scope, snapshotVersion } = configuration
  const edited = useEditedRequest()
  const may = useMay('change:propose', scope)
  const review = useRequestReview()
  const edit = useWrite('PATCH /change-requests/{changeRequestId}', {
    invalidates: [
      'GET /change-requests',
      'GET /change-requests/{changeRequestId}',
      'GET /change-requests/{changeRequestId}/plan',
    ],
  })

  const send = async ({ only, submit }: { only: (locator: string) => boolean; submit: boolean }) => {
    const part = partOf(draft, only)
    const changes = changesOf(part)
    const why = reason.trim() === '' ? {} : { reason: reason.trim() }
    try {
      if (edited === null) {
        const title = t('changes.title.configure', { n: countEdits(part), scope: scopeText(scope) })
        const proposal = {
          kind: 'CONFIGURE' as const,
          title,
          ...why,
          scope,
          input: { snapshotVersion, changes },
        }
        await review.request(proposal, { submit, beforeLeaving: () => store.drop(part) })
        return
      }
      const { changeRequestId, revision } = edited
      const merged: KeptChanges = { ...changes }
      for (const { locator, property } of hiddenIn(edited))
        merged[locator] = { [property]: { '@type': 'Data', isSensitive: true }, ...merged[locator] }
      await edit.mutateAsync({
        params: { changeRequestId },
        body: { kind: 'CONFIGURE', revision, input: { snapshotVersion, changes: merged }, ...why },
      })
      store.drop(part)
      showToast({ text: t('changes.saved') })
      await navigate({ ...paths.changeRequest(changeRequestId), ignoreBlocker: true })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      showToast({ tone: 'error', text: errorView(error).message })
    }
  }
  return { edited, may, isPending: review.isPending || edit.isPending, send }
}
