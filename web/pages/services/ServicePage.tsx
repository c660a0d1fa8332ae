import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { serviceCall } from '#contract/console-api/pages/services.ts'
import type { Service } from '#contract/console-api/shapes.ts'
import { lazyPart } from '../../base/lazy-part.ts'
import { apiQuery } from '../../api/query.ts'
import { useMay } from '../../api/session.ts'
import { EnabledBadge } from '../../ui/StateBadge.tsx'
import { LocatorText, Id, Mono } from '../../ui/Id.tsx'
import { PendingPage } from '../../layouts/PendingPage.tsx'
import { scopeText } from '../../subjects/scopes/scope-text.ts'
import { ScopeLink } from '../../subjects/scopes/ScopeText.tsx'
import { useText } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'
import { paths } from '../../addresses/paths.ts'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { DefinitionList } from '../../ui/DefinitionList.tsx'
import { PlainLink } from '../../ui/Link.tsx'
import { SkeletonLines } from '../../ui/Skeleton.tsx'
import { ServiceDialog } from './ServiceDialog.tsx'

const route = getRouteApi('/services/$id')

const Dependencies = lazyPart(
  async () => (await import('../../subjects/dependencies/Dependencies.tsx')).Dependencies,
)

export function ServicePage() {
  const t = useText()
  const { id } = route.useParams()
  const query = useQuery(apiQuery('GET /services/{serviceId}', serviceCall(id)))
  if (query.data) return <Shown service={query.data} />
  return <PendingPage id={id} trail={[{ label: t('services.title'), to: paths.services() }]} query={query} />
}

function Shown({ service }: { service: Service }) {
  const t = useText()
  const [editing, setEditing] = useState(false)
  const may = useMay('service:write', 'everywhere')
  const { serviceId, title, url, methods, owner, enabled } = service
  const dependencies = useQuery(apiQuery('GET /services/{serviceId}/dependencies', serviceCall(serviceId)))
  return (
    <Page
      title={title}
      trail={[{ label: t('services.title'), to: paths.services() }]}
      state={
        <EnabledBadge
          enabled={enabled}
          look="pill"
          word={t(enabled ? 'services.enabled' : 'services.disabled')}
          meaning={t(enabled ? 'services.enabled.meaning' : 'services.disabled.meaning')}
        />
      }
      actions={
        <Button
          icon="edit"
          disabledReason={!may && t('services.reason.permission')}
          onClick={() => setEditing(true)}
        >
          {t('services.edit')}
        </Button>
      }
    >
      <div className="space-y-6">
        <Card>
          <DefinitionList
            layout="facts"
            items={[
              { label: t('services.fact.id'), value: <Id id={serviceId} full copy /> },
              { wide: true, label: t('services.fact.address'), value: <Mono>{url}</Mono> },
              {
                label: t('services.fact.owner'),
                value:
                  owner === null ? (
                    <span className="text-muted">{t('services.owner.none')}</span>
                  ) : (
                    <PlainLink
                      to={paths.installation(owner.bundleInstallId)}
                      className="target rounded-sm hover:underline"
                    >
                      <LocatorText locator={owner.locator} />
                    </PlainLink>
                  ),
              },
              {
                label: t('services.fact.methods'),
                value:
                  owner !== null ? (
                    <span className="text-muted">{t('services.methods.declared')}</span>
                  ) : methods.length === 0 ? (
                    <span className="text-muted">{t('services.methods.none')}</span>
                  ) : (
                    <span className="flex flex-wrap gap-1">
                      {methods.map((method) => (
                        <Mono key={method} className="rounded-sm bg-sunken px-1.5 py-0.5">
                          {method}
                        </Mono>
                      ))}
                    </span>
                  ),
              },
              { wide: 'line', label: t('services.consumers'), value: <Consumers service={service} /> },
            ]}
          />
        </Card>
        <Suspense fallback={<SkeletonLines lines={6} />}>
          <Dependencies of="service" title={title} query={dependencies} />
        </Suspense>
      </div>
      {editing && <ServiceDialog service={service} onClose={() => setEditing(false)} />}
    </Page>
  )
}

function Consumers({ service: { consumers, owner } }: { service: Service }) {
  const t = useText()
  if (consumers.length === 0) {
    return (
      <span className="text-muted">
        {t(owner === null ? 'services.consumers.nobody' : 'services.consumers.owner')}
      </span>
    )
  }
  return (
    <ul className="grid gap-x-6 gap-y-1 sm:grid-cols-[repeat(auto-fill,minmax(15rem,1fr))]">
      {consumers.map((scope) => (
        <li key={scopeText(scope)}>
          <ScopeLink scope={scope} />
        </li>
      ))}
    </ul>
  )
}
