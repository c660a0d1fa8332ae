import { useState, type ReactNode } from 'react'
import type { ConfigurationResource, PropertyChange, Snapshot } from '#contract/console-api/shapes.ts'
import { namedManager } from '../../../subjects/people/use-manager-text.ts'
import { propertyTitle, resourceTitle, placeNamer } from '../../../forms/property/property-labels.ts'
import { labelled } from '../../../i18n/punctuation.ts'
import { useRichText, useText } from '../../../i18n/use-text.ts'
import { paths } from '../../../addresses/paths.ts'
import { Badge } from '../../../ui/Badge.tsx'
import { Button } from '../../../ui/Button.tsx'
import { TextLink } from '../../../ui/Link.tsx'
import { Time } from '../../../ui/Time.tsx'
import { Card } from '../../../ui/Card.tsx'
import { DefinitionList } from '../../../ui/DefinitionList.tsx'
import { PropertyValueView } from '../../../ui/value/ValueView.tsx'
import { BeforeAfter } from '../../../ui/value/BeforeAfter.tsx'
import { useEditor } from '../editor/editor-context.ts'
import { definitionOf } from '../draft/outline.ts'
import { isHidden, isSet } from '../../../forms/property/property-value.ts'

const SHOWN = 4

/** One snapshot: who saved it, when, why, what caused it, and its changes. */
export function SnapshotEntry({
  snapshot,
  onTake,
  actions,
}: {
  snapshot: Snapshot
  /** Buttons beside the heading. */
  actions?: ReactNode
  /** Restores the previous value in the form. */
  onTake?: ((change: PropertyChange) => void) | undefined
}) {
  const t = useText()
  const { resourceAt } = useEditor()
  const [isWhole, setIsWhole] = useState(false)
  const { changes } = snapshot
  const shown = isWhole ? changes : changes.slice(0, SHOWN)
  const locators = [...new Set(shown.map(({ locator }) => locator))]
  return (
    <div className="min-w-0">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1">
        <div className="min-w-0">
          <SnapshotHead snapshot={snapshot} />
        </div>
        {actions !== undefined && (
          // where they stand at the left edge, one with a border comes first
          <span className="flex flex-wrap gap-2 max-sm:flex-row-reverse max-sm:justify-end">{actions}</span>
        )}
      </div>
      {changes.length === 0 && <p className="mt-1 text-muted">{t('configuration.history.noChanges')}</p>}
      <div className="mt-2 space-y-3">
        {locators.map((locator) => {
          const resource = resourceAt(locator)
          const title = resourceTitle(resource, locator)
          return (
            <div key={locator}>
              <p className="mb-1 text-muted">{title}</p>
              <ResourceChanges
                title={title}
                resource={resource}
                changes={shown.filter((change) => change.locator === locator)}
                onTake={onTake}
              />
            </div>
          )
        })}
      </div>
      {changes.length > SHOWN && (
        <Button size="sm" variant="quiet" className="mt-1" onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? t('common.value.less') : t('configuration.history.more', { n: changes.length - SHOWN })}
        </Button>
      )}
    </div>
  )
}

/** For a new resource, shows only the new values instead of a column of "not set". */
function ResourceChanges({
  title,
  resource,
  changes,
  onTake,
}: {
  title: string
  resource: ConfigurationResource | undefined
  changes: readonly PropertyChange[]
  onTake: ((change: PropertyChange) => void) | undefined
}) {
  const t = useText()
  const { definitionAt } = useEditor()
  const nameOf = ({ locator, property }: PropertyChange) =>
    propertyTitle(definitionAt(locator, property), property)
  if (changes.every(({ before }) => !isSet(before))) {
    return (
      <Card padded={false} className="px-4 py-1">
        <DefinitionList
          // the values stand where those of the changes do
          className="sm:[&>div]:grid-cols-[minmax(9rem,14rem)_minmax(0,1fr)]"
          items={changes.map((change) => ({
            label: <span className="text-ink">{nameOf(change)}</span>,
            value: <PropertyValueView value={change.after} />,
          }))}
        />
      </Card>
    )
  }
  return (
    <BeforeAfter
      label={t('configuration.plan.changesOf', { resource: title })}
      changes={changes.map((change) => ({
        id: change.property,
        name: <span className="font-sans text-sm">{nameOf(change)}</span>,
        before: change.before,
        after: change.after,
        nameOf: placeNamer(definitionAt(change.locator, change.property), t),
        note: isReplaced(change) && t('configuration.history.replaced'),
        action: onTake !== undefined && isTakeable(change, resource) && (
          <Button size="sm" variant="quiet" onClick={() => onTake(change)}>
            <span aria-hidden="true">{t('configuration.history.takeBefore')}</span>
            <span className="sr-only">
              {labelled(t, t('configuration.history.takeBefore'), `${nameOf(change)} · ${title}`)}
            </span>
          </Button>
        ),
      }))}
    />
  )
}

/** A sensitive value looks the same before and after, so a text says that it changed. */
const isReplaced = ({ before, after }: PropertyChange): boolean =>
  isHidden(before) && isHidden(after) && isSet(before) && isSet(after)

export function SnapshotHead({ snapshot }: { snapshot: Snapshot }) {
  const t = useText()
  const rich = useRichText()
  const { savedBy, savedAt, cause, operationId, operations, operationsRemoved, reason, snapshotVersion } =
    snapshot
  // all changes of an apply have the same manager
  const manager = snapshot.changes.find(({ managedBy }) => managedBy !== undefined)?.managedBy
  const applied = manager === undefined ? null : namedManager(manager)
  const word =
    cause === 'SAVE' && applied?.kind === 'apply'
      ? t('configuration.history.applied', { name: applied.name })
      : cause === 'SAVE'
        ? null
        : cause === 'CREATED'
          ? t('configuration.cause.CREATED')
          : t(`vocabulary.type.${cause}`)
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
        <span className="mono font-semibold">{snapshotVersion}</span>
        <span>
          {rich('configuration.history.who', {
            person: <span className="font-medium">{savedBy.name}</span>,
            when: <Time at={savedAt} />,
          })}
        </span>
        {operationId === null ? (
          <>
            {/* nearly every entry is a save */}
            {word !== null && <Badge>{word}</Badge>}
            {operations.map((id, index) => (
              <TextLink key={id} to={paths.operation(id)}>
                {t('configuration.history.byOperation', { type: t('vocabulary.type.CONFIGURE') })}
                {operations.length > 1 && ` ${index + 1}`}
              </TextLink>
            ))}
          </>
        ) : operationsRemoved !== undefined ? (
          <span>{t('configuration.history.byOperation', { type: word ?? '' })}</span>
        ) : (
          <TextLink to={paths.operation(operationId)}>
            {t('configuration.history.byOperation', { type: word ?? '' })}
          </TextLink>
        )}
        {operationsRemoved !== undefined && (
          <span className="text-muted">
            {t('configuration.history.operationsRemoved', { n: operationsRemoved })}
          </span>
        )}
      </p>
      {reason !== null && <p className="mt-0.5 text-muted wrap-anywhere">“{reason}”</p>}
    </>
  )
}

/** Whether the previous value can be restored: it is visible or was not set, and the person may write here. */
function isTakeable(
  { property, before }: PropertyChange,
  resource: ConfigurationResource | undefined,
): boolean {
  const definition = definitionOf(resource, property)
  if (resource === undefined || definition === undefined || definition.isSensitive === true) return false
  return !Object.hasOwn(resource.writtenBy, property) && !isHidden(before)
}
