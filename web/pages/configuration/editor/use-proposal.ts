import type { ChangeRequestDetail } from '#contract/console-api/shapes.ts'
import { ApiError } from '../../../api/client.ts'
import { useMay } from '../../../api/session.ts'
import { propertyTitle } from '../../../forms/property/property-labels.ts'
import type { PropertyPlace } from '../../../forms/property/property-place.ts'
import { errorView } from '../../../i18n/describe-code.ts'
import { useText } from '../../../i18n/use-text.ts'
import {
  hiddenToDecide,
  useSaveRequest,
  withHidden,
} from '../../../subjects/change-requests/edited-request.tsx'
import { retitled, useRequestReview } from '../../../subjects/change-requests/use-request-review.ts'
import { scopeText } from '../../../subjects/scopes/scope-text.ts'
import { showToast } from '../../../ui/toast.ts'
import { draftChanges, editAt, type Draft } from '../draft/draft.ts'
import { isWhole, type Arrival } from '../draft/arrival.ts'
import { storedName } from '../draft/stored-draft.ts'
import { useEditor } from './editor-context.ts'
import { partOfDraft } from './use-save.ts'

/** Makes a change request of the draft, or stores the draft in the one that is edited. */
export function useProposal({
  draft,
  reason,
  arrival,
}: {
  draft: Draft
  reason: string
  arrival: Arrival | null
}) {
  const t = useText()
  const { configuration, edited, store, hiddenSides, definitionAt } = useEditor()
  const { scope, snapshotVersion } = configuration
  const may = useMay('change:propose', scope)
  const review = useRequestReview()
  const edit = useSaveRequest()

  // a new value that was entered here decides too
  const open = (edited === null ? [] : hiddenToDecide(edited, configuration)).filter(
    ({ locator, property }) => editAt(draft, locator, property) === undefined,
  )
  const isTheirs = (place: PropertyPlace) => hiddenSides.get(storedName(place)) === 'theirs'
  /** What the request asks for with the edits of the draft, and with the hidden values that stay in it. */
  const inRequest = (request: ChangeRequestDetail, edits: Draft) =>
    withHidden(draftChanges(edits), request, open.filter(isTheirs))

  /** Names the first property, so that a list tells requests apart. */
  const titleOf = (changes: Record<string, object>) => {
    const [first, ...more] = Object.entries(changes).flatMap(([locator, properties]) =>
      Object.keys(properties).map((property) => ({ locator, property })),
    )
    const { locator = '', property = '' } = first ?? {}
    const named = {
      property: propertyTitle(definitionAt(locator, property), property),
      scope: scopeText(scope),
    }
    return more.length === 0
      ? t('changes.title.configure', named)
      : t('changes.title.configure.more', { ...named, n: more.length })
  }

  const send = async ({ only, submit }: { only: (locator: string) => boolean; submit: boolean }) => {
    // with the last keys: the draft here is of the last pause in typing
    const part = partOfDraft(store.current(), only)
    const why = reason.trim() === '' ? {} : { reason: reason.trim() }
    try {
      if (edited === null) {
        const ofArrival = arrival !== null && isWhole(arrival, part) && arrival.title
        const title = ofArrival || titleOf(draftChanges(part))
        const proposal = {
          kind: 'CONFIGURE' as const,
          title,
          ...why,
          scope,
          input: { snapshotVersion, changes: draftChanges(part) },
        }
        await review.request(proposal, { submit, beforeLeaving: () => store.drop(part) })
        return
      }
      const input = { snapshotVersion, changes: inRequest(edited, part) }
      const titles = { before: titleOf(edited.input.changes ?? {}), now: titleOf(input.changes) }
      await edit.save(edited, { kind: 'CONFIGURE', input, ...retitled(edited, titles), ...why }, () =>
        store.drop(part),
      )
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      showToast({ tone: 'error', text: errorView(error).message })
    }
  }
  // an edit of a request is saved by the button that submits a new one
  const pending = edit.isPending ? 'submit' : review.pending
  return {
    may,
    pending,
    send,
    /** The hidden values of which somebody has to say whether they stay, and that nobody has replaced here. */
    hiddenOpen: open,
    isUndecided: open.some((place) => !hiddenSides.has(storedName(place))),
    /** Nothing would be left in the edited request. */
    isEmpty: edited !== null && Object.keys(inRequest(edited, draft)).length === 0,
  }
}
