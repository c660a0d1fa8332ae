import type { LocalService } from '#contract/console-api/shapes.ts'
import { useText } from '../../i18n/use-text.ts'
import { paths, type ScopeKey } from '../../addresses/paths.ts'
import { cx } from '../../ui/class-names.ts'
import { PlainLink } from '../../ui/Link.tsx'
import { SkeletonLines } from '../../ui/Skeleton.tsx'
import { Time } from '../../ui/Time.tsx'

export function ServiceList({
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
