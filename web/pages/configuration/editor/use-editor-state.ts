import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useCallback, useMemo, useState } from 'react'
import type { ChangeRequestDetail, Configuration } from '#contract/console-api/shapes.ts'
import { omitUndefined } from '#contract/console-api/pages/search-params.ts'
import type { ConfigurationSearch } from '#contract/console-api/pages/configuration.ts'
import { apiQuery } from '../../../api/query.ts'
import { useText } from '../../../i18n/use-text.ts'
import { useShell } from '../../../subjects/shell/shell-context.ts'
import { paths } from '../../../addresses/paths.ts'
import { useDocument } from '../document/use-document.ts'
import type { Draft } from '../draft/draft.ts'
import { SNAPSHOT } from '../draft/endpoints.ts'
import { goneResources, goneSince } from '../draft/gone-resources.ts'
import { storedName } from '../draft/stored-draft.ts'
import { useDraft, useDraftStore } from '../draft/use-draft-store.ts'
import { type EditorValue, type InstallationTitles, focusProperty } from './editor-context.ts'
import { useDraftForm, useServerErrors } from '../draft/draft-form.ts'
import { marksOf, problemsOf } from '../draft/marks.ts'
import { definitionOf, type Marks } from '../draft/outline.ts'
import type { Arrival } from '../draft/arrival.ts'
import { useMerge } from './use-merge.ts'
import { useUndo } from './use-undo.ts'
import { useSave } from './use-save.ts'

/** The state of the editor: the draft, its errors, its merge with the newest snapshot, and its save. */
export function useEditorState({
  personId,
  titles,
  configuration,
  edited,
  search,
  showsDocument,
  onReview,
  openHistory,
}: {
  personId: string
  titles: InstallationTitles
  configuration: Configuration
  edited: ChangeRequestDetail | null
  search: ConfigurationSearch
  showsDocument: boolean
  onReview: (arrival: Arrival | undefined) => void
  openHistory: (locator: string, property: string) => void
}) {
  const t = useText()
  const { can } = useShell()
  const { scope } = configuration
  const mayWrite = can('configuration:write', scope)
  const store = useDraftStore(personId, scope, search.change)
  const draft = useDraft(store)
  const form = useDraftForm(store, configuration)
  const serverErrors = useServerErrors(form)
  const problems = useMemo(
    () => problemsOf({ draft, configuration, serverErrors }, t),
    [draft, configuration, serverErrors, t],
  )
  const marks = useStable(useMemo(() => marksOf(draft, problems), [draft, problems]))
  const save = useSave(store, form, configuration)
  const merge = useMerge({ store, draft, configuration, isSaving: save.state !== 'idle', personId })
  const document = useDocument({ store, draft, configuration, isShown: showsDocument })
  const { gone, before } = useGone(draft, configuration)
  const goTo = useGoTo(configuration, search)
  const loseChange = useUndo(store, goTo, !mayWrite || save.state !== 'idle')
  const { behind } = merge
  const isSaving = save.state !== 'idle'
  const [hiddenSides, setHiddenSides] = useState<EditorValue['hiddenSides']>(NO_SIDES)

  const editor = useMemo<EditorValue>(() => {
    const review = (arrival: Arrival | undefined) => {
      store.flush()
      // the plan says what is refused now
      form.clearErrors()
      onReview(arrival)
    }
    return {
      configuration,
      edited,
      store,
      form,
      mayWrite,
      isSaving,
      mergedAt: (locator, property) =>
        behind.find((one) => one.locator === locator && one.property === property),
      gone,
      resourceAt: (locator) => configuration.resources[locator] ?? gone.get(locator),
      definitionAt: (locator, property) =>
        definitionOf(configuration.resources[locator], property) ??
        definitionOf(before?.resources[locator], property),
      titleOf: ({ bundleInstallId, bundle }) => titles.get(bundleInstallId)?.title ?? bundle.bundleId,
      goTo,
      loseChange,
      openReview: () => review(undefined),
      reviewArrival: review,
      openHistory,
      hiddenSides,
      chooseHidden: (place, side) => setHiddenSides(new Map(hiddenSides).set(storedName(place), side)),
    }
  }, [
    configuration,
    edited,
    store,
    form,
    mayWrite,
    isSaving,
    behind,
    gone,
    before,
    titles,
    goTo,
    loseChange,
    onReview,
    openHistory,
    hiddenSides,
  ])
  return { editor, draft, problems, marks, merge, save, document }
}

const NO_SIDES: EditorValue['hiddenSides'] = new Map()

/** What is gone while the person has edits of it, with the titles that it had. */
function useGone(draft: Draft, configuration: Configuration) {
  const since = goneSince(draft, configuration)
  const { data: before } = useQuery({
    ...apiQuery(SNAPSHOT, { params: { ...configuration.scope, snapshotVersion: since ?? 1 } }),
    enabled: since !== null,
    staleTime: Infinity,
  })
  const gone = useMemo(() => goneResources(draft, configuration, before), [draft, configuration, before])
  return { gone, before }
}

/**
 * Keeps the same object while the marks are equal: typing does not change them, and then the outline is not rendered.
 */
function useStable(marks: ReadonlyMap<string, Marks>): ReadonlyMap<string, Marks> {
  const [kept, setKept] = useState(marks)
  if (kept === marks) return kept
  const isSame = JSON.stringify([...kept]) === JSON.stringify([...marks])
  if (!isSame) setKept(marks)
  return isSame ? kept : marks
}

function useGoTo({ scope }: Configuration, search: ConfigurationSearch): EditorValue['goTo'] {
  const navigate = useNavigate()
  return useCallback(
    (locator, property) => {
      const next = { tab: undefined, q: undefined, show: undefined, resource: locator, property }
      const target = paths.configuration(scope, omitUndefined({ ...search, ...next }))
      void navigate(target).then(() => property !== undefined && focusProperty(property))
    },
    [navigate, scope, search],
  )
}
