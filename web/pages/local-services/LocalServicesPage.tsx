import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { localServicesCall } from '#contract/console-api/pages/local-services.ts'
import type { LocalService } from '#contract/console-api/shapes.ts'
import { apiQuery } from '../../api/query.ts'
import { useMay } from '../../api/session.ts'
import { useErrorView } from '../../i18n/describe-code.ts'
import { scopeText } from '../../subjects/scopes/scope-text.ts'
import { useText } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'
import { paths, type ScopeKey } from '../../addresses/paths.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { LinkButton, PlainLink } from '../../ui/Link.tsx'
import { SkeletonLines } from '../../ui/Skeleton.tsx'
import { ServiceEditor } from './ServiceEditor.tsx'
import { cx } from '../../ui/class-names.ts'
import { Time } from '../../ui/Time.tsx'

const route = getRouteApi('/scopes/$env/$runtime/$workspace/local-services')

export function LocalServicesPage() {
  const t = useText()
  const { env, runtime, workspace } = route.useParams()
  const { service: chosen, action } = route.useSearch()
  const scope: ScopeKey = {
    environmentKey: env,
    applicationRuntimeId: runtime,
    workspaceId: Number(workspace),
  }
  const query = useQuery(
    apiQuery(
      'GET /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/local-services',
      localServicesCall(scope),
    ),
  )
  const error = useErrorView(query.error)
  const mayWrite = useMay('configuration:write', scope)
  const shown = query.data?.items.find(({ serviceName }) => serviceName === chosen)
  return (
    <Page
      title={t('localServices.title')}
      lead={t('localServices.about')}
      environment={scope.environmentKey}
      trail={[
        { label: t('shell.nav.scopes'), to: paths.scopes() },
        { label: scopeText(scope), to: paths.configuration(scope) },
      ]}
      actions={
        <>
          <LinkButton to={paths.configuration(scope)} icon="scopes">
            {t('localServices.configuration')}
          </LinkButton>
          {mayWrite ? (
            <LinkButton variant="primary" to={paths.localServices(scope, { action: 'new' })} icon="plus">
              {t('localServices.new')}
            </LinkButton>
          ) : (
            <Button icon="plus" disabledReason={t('localServices.reason.permission')}>
              {t('localServices.new')}
            </Button>
          )}
        </>
      }
    >
      {error && !query.data ? (
        <ErrorState error={error} retrying={query.isFetching} onRetry={() => void query.refetch()} />
      ) : (
        <div className="grid items-start gap-5 lg:grid-cols-[17rem_minmax(0,1fr)]">
          <ServiceList scope={scope} services={query.data?.items} chosen={chosen} />
          {action === 'new' ? (
            <ServiceEditor key="new" scope={scope} service={null} mayWrite={mayWrite} />
          ) : shown ? (
            <ServiceEditor key={shown.serviceName} scope={scope} service={shown} mayWrite={mayWrite} />
          ) : (
            <div className="rounded-lg border border-dashed border-line-strong">
              {query.data ? (
                <EmptyState
                  icon="services"
                  title={t(
                    query.data.items.length === 0
                      ? 'localServices.empty.title'
                      : 'localServices.choose.title',
                  )}
                  message={t(
                    query.data.items.length === 0
                      ? 'localServices.empty.message'
                      : 'localServices.choose.message',
                  )}
                />
              ) : (
                <div className="p-4">
                  <SkeletonLines lines={6} />
                </div>
              )}
            </div>
          )}
        </div>
      )}
    </Page>
  )
}

function ServiceList({
  scope,
  services,
  chosen,
}: {
  scope: ScopeKey
  services: readonly LocalService[] | undefined
  chosen: string | undefined
}) {
  const t = useText()
  if (services?.length === 0) return <p className="px-3 py-2 text-muted">{t('localServices.list.empty')}</p>
  return (
    <nav aria-label={t('localServices.list')}>
      {services ? (
        <ul className="space-y-px">
          {services.map(({ serviceName, version, savedAt }) => (
            <li key={serviceName}>
              <PlainLink
                to={paths.localServices(scope, { service: serviceName })}
                aria-current={serviceName === chosen ? 'page' : undefined}
                className={cx(
                  'block rounded-md px-3 py-2',
                  serviceName === chosen ? 'bg-selected' : 'hover:bg-hover',
                )}
              >
                <span className="mono block font-medium wrap-anywhere">{serviceName}</span>
                <span className="flex gap-1.5 text-xs text-muted">
                  {t('localServices.list.version', { version: String(version) })}
                  <span aria-hidden="true">·</span>
                  <Time at={savedAt} inRow />
                </span>
              </PlainLink>
            </li>
          ))}
        </ul>
      ) : (
        <div className="p-3">
          <SkeletonLines lines={4} />
        </div>
      )}
    </nav>
  )
}
