import { useQuery } from '@tanstack/react-query'
import { useId, useMemo, useState } from 'react'
import type { Configuration, PropertyChange, Snapshot } from '#contract/console-api/shapes.ts'
import { apiQuery } from '../../../api/query.ts'
import { useErrorView } from '../../../components/describe-code.ts'
import { useText } from '../../../i18n/use-text.ts'
import { Button } from '../../../ui/Button.tsx'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { ErrorState } from '../../../ui/ErrorState.tsx'
import { Select } from '../../../ui/Select.tsx'
import { SkeletonLines } from '../../../ui/Skeleton.tsx'
import { BeforeAfter } from '../../../ui/values/BeforeAfter.tsx'
import { SNAPSHOT } from '../endpoints.ts'
import { EMPTY } from '../editor/draft.ts'
import { useEditor } from '../editor/editor-context.ts'
import { definitionOf } from '../editor/outline.ts'
import { propertyTitle, resourceTitle } from '../labels.ts'
import { differences, restore } from './restore.ts'
import { useRestore } from './use-restore.ts'

/** What differs between two snapshots, or a snapshot and now. Values of the first can be restored, any number at once. */
export function CompareView({
  from,
  to,
  snapshots,
  onCompare,
}: {
  from: number
  /** Undefined for the current configuration. */
  to: number | undefined
  /** The snapshots to choose from. */
  snapshots: readonly Snapshot[]
  /** Compares others; null closes the comparison. */
  onCompare: (versions: { from: number; to: number | undefined } | null) => void
}) {
  const t = useText()
  const id = useId()
  const { configuration } = useEditor()
  const first = useSnapshot(from)
  const second = useSnapshot(to)
  const after = to === undefined ? configuration : second.data
  const error = useErrorView(first.error ?? second.error)
  const versions = [...new Set([from, ...(to === undefined ? [] : [to]), ...versionsOf(snapshots)])]
  const options = versions
    .toSorted((one, other) => other - one)
    .map((version) => ({ value: String(version), label: labelOf(version, snapshots) }))
  return (
    <section
      aria-label={t('configuration.compare.title')}
      className="mb-6 rounded-lg border border-line-strong"
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 border-b border-line px-4 py-2.5">
        <label htmlFor={`${id}-from`} className="font-semibold">
          {t('configuration.compare.from')}
        </label>
        <Select
          id={`${id}-from`}
          value={String(from)}
          options={options}
          onChange={({ target }) => onCompare({ from: Number(target.value), to })}
        />
        <label htmlFor={`${id}-to`} className="font-semibold">
          {t('configuration.compare.to')}
        </label>
        <Select
          id={`${id}-to`}
          value={to === undefined ? '' : String(to)}
          placeholder={t('configuration.compare.now')}
          options={options}
          onChange={({ target }) =>
            onCompare({ from, to: target.value === '' ? undefined : Number(target.value) })
          }
        />
        <Button
          className="ml-auto"
          variant="quiet"
          icon="close"
          label={t('common.close')}
          onClick={() => onCompare(null)}
        />
      </div>
      <div className="p-4">
        {error !== null ? (
          <ErrorState
            error={error}
            onRetry={() => void Promise.all([first.refetch(), second.refetch()])}
            retrying={first.isFetching || second.isFetching}
          />
        ) : first.data === undefined || after === undefined ? (
          <SkeletonLines lines={6} />
        ) : (
          <Differences key={`${from} ${to}`} before={first.data} after={after} />
        )}
      </div>
    </section>
  )
}

function Differences({ before, after }: { before: Configuration; after: Configuration }) {
  const t = useText()
  const { configuration, store, mayWrite } = useEditor()
  const restoreAll = useRestore()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const changes = useMemo(() => differences(before, after), [before, after])
  const isRestorable = useMemo(() => {
    const { step } = restore(
      changes.map((change) => ({ ...change, value: change.before })),
      configuration,
      EMPTY,
    )
    const keys = new Set(step.map(keyOf))
    return (change: PropertyChange) => mayWrite && keys.has(keyOf(change))
  }, [changes, configuration, mayWrite])
  const restorable = changes.filter(isRestorable)
  const taken = restorable.filter((change) => chosen.has(keyOf(change)))
  if (changes.length === 0) return <p className="text-muted">{t('configuration.compare.same')}</p>
  return (
    <div className="space-y-3">
      {[...new Set(changes.map(({ locator }) => locator))].map((locator) => {
        const resource = after.resources[locator] ?? before.resources[locator]
        const title = resourceTitle(resource, locator)
        return (
          <div key={locator}>
            <p className="mb-1 text-muted">{title}</p>
            <BeforeAfter
              label={t('configuration.plan.changesOf', { resource: title })}
              changes={changes
                .filter((change) => change.locator === locator)
                .map((change) => ({
                  id: change.property,
                  name: (
                    <span className="font-sans text-sm">
                      {propertyTitle(definitionOf(resource, change.property), change.property)}
                    </span>
                  ),
                  before: change.before,
                  after: change.after,
                  note: isRestorable(change) && (
                    <Checkbox
                      checked={chosen.has(keyOf(change))}
                      onChange={({ target }) =>
                        setChosen((known) => {
                          const next = new Set(known)
                          if (target.checked) next.add(keyOf(change))
                          else next.delete(keyOf(change))
                          return next
                        })
                      }
                    >
                      {t('configuration.compare.restore')}
                    </Checkbox>
                  ),
                }))}
            />
          </div>
        )
      })}
      {restorable.length > 0 && (
        <p className="flex flex-wrap gap-2">
          <Button
            variant="primary"
            disabledReason={taken.length === 0 && t('configuration.compare.nothingChosen')}
            onClick={() =>
              restoreAll(
                restore(
                  taken.map((change) => ({ ...change, value: change.before })),
                  configuration,
                  store.current(),
                ),
              )
            }
          >
            {t('configuration.compare.restoreChosen', { n: taken.length })}
          </Button>
          <Button onClick={() => setChosen(new Set(restorable.map(keyOf)))}>
            {t('configuration.compare.chooseAll', { n: restorable.length })}
          </Button>
        </p>
      )}
    </div>
  )
}

const keyOf = ({ locator, property }: { locator: string; property: string }) => `${locator} ${property}`

const versionsOf = (snapshots: readonly Snapshot[]): number[] =>
  snapshots.map(({ snapshotVersion }) => snapshotVersion)

function labelOf(version: number, snapshots: readonly Snapshot[]): string {
  const known = snapshots.find(({ snapshotVersion }) => snapshotVersion === version)
  return known === undefined ? String(version) : `${version} · ${known.savedBy.name}`
}

/** A snapshot never changes. */
function useSnapshot(snapshotVersion: number | undefined) {
  const { configuration } = useEditor()
  return useQuery({
    ...apiQuery(SNAPSHOT, { params: { ...configuration.scope, snapshotVersion: snapshotVersion ?? 1 } }),
    enabled: snapshotVersion !== undefined,
    staleTime: Infinity,
  })
}
