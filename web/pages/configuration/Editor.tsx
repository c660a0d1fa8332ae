import { Suspense, useCallback, useMemo, useState, type ComponentProps } from 'react'
import { useQuery } from '@tanstack/react-query'
import type { Claim, Configuration } from '#contract/console-api/shapes.ts'
import { pausesInScopeCall } from '#contract/console-api/pages/pauses.ts'
import { omitUndefined } from '#contract/console-api/pages/search-params.ts'
import { CONFIGURATION_TABS, type ConfigurationSearch } from '#contract/console-api/pages/configuration.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { apiQuery } from '../../api/query.ts'
import { useInstallationTitles } from '../../subjects/manifest/use-installation-titles.ts'
import { PauseAction, Pauses } from '../../subjects/gate/Pauses.tsx'
import { useGate } from '../../subjects/gate/use-gate.tsx'
import { LostRequestNotice, useEditedRequest } from '../../subjects/change-requests/edited-request.tsx'
import { FollowButton } from '../../subjects/inbox/FollowButton.tsx'
import { scopeText } from '../../subjects/scopes/scope-text.ts'
import { useRichText, useText } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'
import { useShell } from '../../subjects/shell/shell-context.ts'
import { paths } from '../../addresses/paths.ts'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/class-names.ts'
import { Dock } from '../../ui/Dock.tsx'
import { LinkButton } from '../../ui/Link.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { HistorySkeleton } from './history/HistorySkeleton.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { Time } from '../../ui/Time.tsx'
import { OpenChangeRequests } from '../../subjects/change-requests/OpenChangeRequests.tsx'
import { EditedRequest } from './EditedRequest.tsx'
import { ChangesBar } from './ChangesBar.tsx'
import { ClaimNotice } from './ClaimNotice.tsx'
import { useOutline } from './editor/use-outline.ts'
import { countEdits } from './draft/draft.ts'
import { EditorContext, useEditor } from './editor/editor-context.ts'
import { FileActions } from './files/FileActions.tsx'
import { FormTab } from './FormTab.tsx'
import { LostNotice, MergeNotice, NewsLine, NotKeptNotice, UncertainNotice } from './Notices.tsx'
import { ScopeSwitch } from './ScopeSwitch.tsx'
import { useDocumentPane, type DocumentPaneState } from './use-document-pane.ts'
import { useEditorState } from './editor/use-editor-state.ts'
import { lazyPart } from '../../base/lazy-part.ts'
import { DocumentTab } from './DocumentTab.tsx'
import { PropertyHistoryDialog } from './history/PropertyHistoryDialog.tsx'
import { openOffers, type Arrival } from './draft/arrival.ts'
import { ReviewDialog } from './review/ReviewDialog.tsx'
import { SavedNotices } from './SavedNotices.tsx'
import { useSaveKey } from './editor/use-save.ts'

const HistoryTab = lazyPart(async () => (await import('./history/HistoryTab.tsx')).HistoryTab)

/** The button that opens the document beside the form. */
const TOGGLE = 'document-beside'

/** The editor of a scope that has something to configure. */
export function Editor({
  configuration,
  search,
}: {
  configuration: Configuration
  search: ConfigurationSearch
}) {
  const t = useText()
  const { user } = useShell()
  const tab = search.tab ?? 'form'
  const [isReviewing, setIsReviewing] = useState(false)
  const [arrival, setArrival] = useState<Arrival | null>(null)
  const openReview = useCallback((arrived: Arrival | undefined) => {
    // its reason is offered once: the edits may be others by the next review
    setArrival((before) => arrived ?? (before && { ...before, reason: '' }))
    setIsReviewing(true)
  }, [])
  const [origin, setOrigin] = useState<{ locator: string; property: string } | null>(null)
  const openHistory = useCallback((locator: string, property: string) => setOrigin({ locator, property }), [])
  const titles = useInstallationTitles(configuration.scope)
  const pane = useDocumentPane(configuration.scope, search)
  const edited = useEditedRequest('CONFIGURE', search.change, { scope: configuration.scope })
  // a request is applied later, so that nothing refuses its edit now, and nothing is overridden
  const gate = useGate(edited.request === null ? configuration.scope : null, 'CONFIGURE')
  const pausesInScope = useQuery(apiQuery('GET /pauses', pausesInScopeCall(configuration.scope)))
  const pauses = (pausesInScope.data?.items ?? []).filter(({ of }) => of.kind === 'SCOPE')
  const state = useEditorState({
    titles,
    personId: user?.id ?? '',
    configuration,
    edited: edited.request,
    search,
    showsDocument: tab === 'document' || pane.isOpen,
    onReview: openReview,
    openHistory,
  })
  const { editor, draft, problems, marks, merge, save, document: asDocument } = state
  const { store, gone } = editor
  const outline = useOutline({ configuration, gone, search, marks, store })
  const claim = outline.selected === undefined ? null : configuration.resources[outline.selected]?.claim
  const { scope } = configuration
  const edits = countEdits(draft)
  // nothing is left to review, and later edits need a new review
  const offers = useMemo(() => openOffers(arrival, configuration), [arrival, configuration])
  if (isReviewing && edits === 0 && offers.length === 0 && save.state === 'idle') setIsReviewing(false)
  if (!isReviewing && edits === 0 && arrival !== null) setArrival(null)
  useSaveKey(() => {
    store.flush()
    if (countEdits(store.current()) > 0) editor.openReview()
  })

  return (
    <EditorContext value={editor}>
      <Page
        title={scopeText(scope)}
        environment={scope.environmentKey}
        trail={[{ label: t('shell.nav.scopes'), to: paths.scopes() }]}
        meta={<SnapshotLine configuration={configuration} />}
        actions={
          <>
            <ScopeSwitch />
            <FileActions />
            <LinkButton to={paths.localServices(scope)} icon="services">
              {t('configuration.localServices')}
            </LinkButton>
            {pauses.length === 0 && <PauseAction of={{ kind: 'SCOPE', scope }} isPaused={false} />}
          </>
        }
        tabs={<EditorTabs scope={scope} search={search} pane={pane} />}
        notice={<EditorNotices gate={gate} pauses={pauses} edited={edited} search={search} />}
        footer={
          <EditorDock
            state={state}
            edits={edits}
            claim={tab === 'form' ? claim : null}
            isReviewing={isReviewing}
          />
        }
      >
        {tab === 'form' && (
          <FormTab
            search={search}
            outline={outline}
            marks={marks}
            titles={titles}
            edits={edits}
            invalid={problems.length}
            document={pane.isOpen ? asDocument : null}
            onCloseDocument={() => {
              pane.setIsOpen(false)
              document.getElementById(TOGGLE)?.focus({ preventScroll: true })
            }}
          />
        )}
        {tab === 'document' && <DocumentTab document={asDocument} />}
        {tab === 'history' && (
          <Suspense fallback={<HistorySkeleton />}>
            <HistoryTab search={search} />
          </Suspense>
        )}
        {isReviewing && (
          <ReviewDialog
            onClose={() => {
              setIsReviewing(false)
              if (save.state === 'idle') save.clearError()
            }}
            draft={draft}
            arrival={arrival}
            offers={offers}
            problems={problems}
            merge={merge}
            save={save}
            blockedByDocument={asDocument.isBlocked}
            gate={gate}
          />
        )}
        {origin !== null && <PropertyHistoryDialog {...origin} onClose={() => setOrigin(null)} />}
      </Page>
    </EditorContext>
  )
}

/** Which snapshot is shown, and what is new. */
function SnapshotLine({ configuration }: { configuration: Configuration }) {
  const rich = useRichText()
  const { scope, snapshotVersion, savedAt, savedBy } = configuration
  return (
    <>
      <span className="text-xs">
        {rich('configuration.snapshot', {
          version: String(snapshotVersion),
          person: savedBy.name,
          when: <Time at={savedAt} />,
        })}
      </span>
      <FollowButton subject={{ kind: 'scope', scope }} />
      <NewsLine />
    </>
  )
}

/** What hinders or concerns the edits of the whole scope. */
function EditorNotices({
  gate,
  pauses,
  edited,
  search,
}: {
  gate: ReturnType<typeof useGate>
  pauses: ComponentProps<typeof Pauses>['pauses']
  edited: ReturnType<typeof useEditedRequest>
  search: ConfigurationSearch
}) {
  const t = useText()
  const { mayWrite, configuration } = useEditor()
  return (
    <>
      {!mayWrite && (
        <Notice icon="lock" title={t('configuration.readOnly.title')}>
          {t('configuration.readOnly.message')}
        </Notice>
      )}
      {mayWrite && gate.notice}
      <Pauses pauses={pauses} />
      <NotKeptNotice />
      <EditedRequest ended={edited.ended} />
      <LostRequestNotice {...edited} />
      <OpenChangeRequests of={configuration.scope} except={search.change} />
    </>
  )
}

function EditorTabs({
  scope,
  search,
  pane,
}: {
  scope: Scope
  search: ConfigurationSearch
  pane: DocumentPaneState
}) {
  const t = useText()
  const tab = search.tab ?? 'form'
  return (
    <div className="relative">
      <Tabs
        label={t('configuration.tabs')}
        current={tab}
        tabs={CONFIGURATION_TABS.map((id) => ({
          id,
          label: t(`configuration.tab.${id}`),
          to: paths.configuration(
            scope,
            omitUndefined({ ...search, property: undefined, tab: id === 'form' ? undefined : id }),
          ),
        }))}
      />
      {tab === 'form' && pane.hasRoom && (
        <Button
          variant="quiet"
          size="sm"
          icon="beside"
          id={TOGGLE}
          aria-pressed={pane.isOpen}
          className={cx('absolute right-0 bottom-1', pane.isOpen && 'bg-selected text-ink')}
          onClick={() => pane.setIsOpen(!pane.isOpen)}
        >
          {t('configuration.document.beside')}
        </Button>
      )}
    </div>
  )
}

/**
 * What stays at the end of the window: what was saved, what hinders a save, and the edits.
 *
 * @param claim The operation that holds the shown resource.
 */
function EditorDock({
  state: { draft, problems, merge, save, document: asDocument },
  edits,
  claim,
  isReviewing,
}: {
  state: ReturnType<typeof useEditorState>
  edits: number
  claim: Claim | null | undefined
  isReviewing: boolean
}) {
  const t = useText()
  return (
    <Dock label={t('configuration.dock')} homes={['resource-title', 'content']}>
      {save.saved.length > 0 && <SavedNotices saved={save.saved} onDismiss={save.dismissSaved} />}
      {edits > 0 && <LostNotice />}
      {claim && <ClaimNotice claim={claim} />}
      {save.state === 'uncertain' && !isReviewing && <UncertainNotice error={save.error} />}
      {save.state === 'idle' && <MergeNotice merge={merge} />}
      {edits > 0 && (
        <ChangesBar
          edits={edits}
          draft={draft}
          problems={problems}
          blockedReason={
            (save.state !== 'idle' && t('common.loading')) ||
            (asDocument.isBlocked && t('configuration.review.blocked.document')) ||
            // a draft is stored on top of the newest snapshot
            (merge.behind.length > 0 && t('configuration.bar.behind'))
          }
        />
      )}
    </Dock>
  )
}
