import { useSyncExternalStore } from 'react'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { Configuration } from '#contract/console-api/shapes.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { LostRequestNotice, useEditedRequest } from '../../subjects/change-requests/edited-request.tsx'
import { useErrorView } from '../../i18n/describe-code.ts'
import { scopeText } from '../../subjects/scopes/scope-text.ts'
import { useText } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'
import { paths } from '../../addresses/paths.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { LinkButton } from '../../ui/Link.tsx'
import { Editor } from './Editor.tsx'
import { useShell } from '../../subjects/shell/shell-context.ts'
import { countEdits } from './draft/draft.ts'
import { useDraftStore } from './draft/use-draft-store.ts'
import { ScopeSwitch } from './ScopeSwitch.tsx'
import { configurationQuery } from './draft/endpoints.ts'
import { Skeleton } from '../../ui/Skeleton.tsx'

const route = getRouteApi('/scopes/$env/$runtime/$workspace/configuration')

/** The configuration of a scope: loading, missing, empty, or the editor. */
export function ConfigurationPage() {
  const t = useText()
  const { env, runtime, workspace } = route.useParams()
  const search = route.useSearch()
  const scope: Scope = { environmentKey: env, applicationRuntimeId: runtime, workspaceId: Number(workspace) }
  const configuration = useQuery({
    ...configurationQuery(scope),
    // a change request is applied later: the operation that runs now does not matter to it
    ...(search.change !== undefined && { select: withoutClaims }),
  })
  const error = useErrorView(configuration.error)
  const { data } = configuration
  const { user } = useShell()
  const store = useDraftStore(user?.id ?? '', scope, search.change)
  const hasEdits = useSyncExternalStore(store.subscribe, () => countEdits(store.current()) > 0)

  const edited = useEditedRequest('CONFIGURE', search.change, { scope })
  // until the session is known, the draft is that of nobody
  const isReady = user !== null && !edited.isPending
  // edits of what is gone are shown until they are decided
  if (data !== undefined && isReady && (hasEdits || Object.keys(data.resources).length > 0)) {
    return (
      <Editor key={`${env}/${runtime}/${workspace}/${search.change}`} configuration={data} search={search} />
    )
  }
  return (
    <Page
      title={scopeText(scope)}
      environment={scope.environmentKey}
      trail={[{ label: t('shell.nav.scopes'), to: paths.scopes() }]}
      actions={<ScopeSwitch />}
    >
      {data !== undefined && edited.isPending ? (
        edited.unread === null ? (
          <EditorSkeleton />
        ) : (
          <LostRequestNotice {...edited} />
        )
      ) : data !== undefined && isReady ? (
        <EmptyState
          icon="installations"
          title={t('configuration.empty.title')}
          message={t('configuration.empty.message')}
          action={
            <span className="flex flex-wrap justify-center gap-2">
              <LinkButton to={paths.catalog()} icon="catalog">
                {t('configuration.empty.catalog')}
              </LinkButton>
              <LinkButton to={paths.installations()}>{t('shell.nav.installations')}</LinkButton>
            </span>
          }
        />
      ) : error === null ? (
        <EditorSkeleton />
      ) : (
        <ErrorState
          error={error}
          onRetry={() => void configuration.refetch()}
          retrying={configuration.isFetching}
          actions={
            <LinkButton to={paths.scopes()} size="sm">
              {t('shell.nav.scopes')}
            </LinkButton>
          }
        />
      )}
    </Page>
  )
}

const withoutClaims = (configuration: Configuration): Configuration => ({
  ...configuration,
  resources: Object.fromEntries(
    Object.entries(configuration.resources).map(([locator, resource]) => [
      locator,
      { ...resource, claim: null },
    ]),
  ),
})

/** The placeholder for the outline and the form. */
function EditorSkeleton() {
  const t = useText()
  return (
    <div
      role="status"
      aria-label={t('common.loading')}
      className="grid gap-8 pt-4 lg:grid-cols-[17rem_minmax(0,1fr)]"
    >
      <div className="space-y-4">
        <Skeleton className="h-8 w-full" />
        {[5, 3, 4].map((rows) => (
          <div key={rows} className="space-y-3">
            <Skeleton className="w-24" />
            {Array.from({ length: rows }, (_, index) => (
              <Skeleton key={index} className="ml-2 w-4/5" />
            ))}
          </div>
        ))}
      </div>
      <div className="space-y-7 max-lg:hidden">
        <Skeleton className="h-6 w-56" />
        {Array.from({ length: 6 }, (_, index) => (
          <div key={index} className="grid grid-cols-[15rem_minmax(0,1fr)] gap-8">
            <Skeleton className="w-32" />
            <Skeleton className="h-8 w-full max-w-[38rem]" />
          </div>
        ))}
      </div>
    </div>
  )
}
