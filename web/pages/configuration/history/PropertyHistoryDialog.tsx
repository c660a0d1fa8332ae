import { useQuery } from '@tanstack/react-query'
import { apiQuery } from '../../../api/query.ts'
import { useErrorView } from '../../../i18n/describe-code.ts'
import { isManagedBy, useManagerText } from '../../../subjects/people/use-manager-text.ts'
import { useText } from '../../../i18n/use-text.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { ErrorState } from '../../../ui/ErrorState.tsx'
import { paths } from '../../../addresses/paths.ts'
import { TextLink } from '../../../ui/Link.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { SkeletonLines } from '../../../ui/Skeleton.tsx'
import { PropertyValueView } from '../../../ui/value/ValueView.tsx'
import { HISTORY } from '../draft/endpoints.ts'
import { useEditor } from '../editor/editor-context.ts'
import { propertyTitle, resourceTitle } from '../../../forms/property/property-labels.ts'
import { definitionOf } from '../draft/outline.ts'
import { isHidden } from '../../../forms/property/property-value.ts'
import { SnapshotHead } from './SnapshotEntry.tsx'
import { Writer } from './Writer.tsx'
import { useTakeValue } from './use-take-value.ts'

const LIMIT = 50
/** Each of these entries may read its operation. */
const WRITERS = 5

/** The history of a property: every snapshot that changed it, the current one first. */
export function PropertyHistoryDialog({
  locator,
  property,
  onClose,
}: {
  locator: string
  property: string
  onClose: () => void
}) {
  const t = useText()
  const { configuration, mayWrite } = useEditor()
  const take = useTakeValue()
  const resource = configuration.resources[locator]
  const definition = definitionOf(resource, property)
  const history = useQuery(
    apiQuery(HISTORY, { params: configuration.scope, query: { locator, property, limit: LIMIT } }),
  )
  const error = useErrorView(history.error)
  const isMine = mayWrite && definition !== undefined && !Object.hasOwn(resource?.writtenBy ?? {}, property)
  const entries = history.data?.items ?? []
  const managerText = useManagerText()
  const manager = resource?.managedBy?.[property]
  // a default is not shown here, because its entry names it
  const isDefault = manager !== undefined && isManagedBy(manager, 'default')
  return (
    <Dialog
      open
      onClose={onClose}
      title={propertyTitle(definition, property)}
      description={t('configuration.origin.description', { resource: resourceTitle(resource, locator) })}
    >
      <p className="mb-3">
        <TextLink to={paths.property(locator, property)}>{t('configuration.origin.everywhere')}</TextLink>
      </p>
      {history.isPending && <SkeletonLines lines={5} />}
      {error !== null && entries.length === 0 && (
        <ErrorState error={error} onRetry={() => void history.refetch()} retrying={history.isFetching} />
      )}
      {history.data !== undefined && entries.length === 0 && (
        <p className="text-muted">{t('configuration.origin.never')}</p>
      )}
      <ol className="divide-y divide-line">
        {entries.map((snapshot, index) => {
          const change = snapshot.changes.find((one) => one.property === property && one.locator === locator)
          const after = change?.after ?? null
          return (
            <li key={snapshot.snapshotVersion} className="py-3 first:pt-0 last:pb-0">
              <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
                <div className="min-w-0 flex-1">
                  {index === 0 && (
                    <p className="mb-1 flex items-center gap-1.5 text-xs font-medium text-ok">
                      <Icon name="check" size={12} />
                      {t('configuration.origin.now')}
                      {manager !== undefined && !isDefault && (
                        <span className="font-normal text-muted">
                          · {t('configuration.field.managedBy', { manager: managerText(manager) })}
                        </span>
                      )}
                    </p>
                  )}
                  <SnapshotHead snapshot={snapshot} />
                  <Writer
                    snapshot={snapshot}
                    change={change}
                    definition={definition}
                    mayRead={index < WRITERS}
                  />
                  <p className="mt-1.5 flex flex-wrap items-baseline gap-x-2">
                    <span className="text-faint">
                      <PropertyValueView value={change?.before ?? null} />
                    </span>
                    <Icon name="arrowRight" size={12} className="self-center text-faint" />
                    <PropertyValueView value={after} />
                  </p>
                </div>
                {isMine && index > 0 && !isHidden(after) && (
                  <Button
                    size="sm"
                    onClick={() => {
                      onClose()
                      take(locator, property, after)
                    }}
                  >
                    {t('configuration.origin.take')}
                  </Button>
                )}
              </div>
            </li>
          )
        })}
      </ol>
      {history.data?.nextCursor && (
        <p className="mt-3 text-xs text-muted">{t('configuration.origin.more', { n: LIMIT })}</p>
      )}
    </Dialog>
  )
}
