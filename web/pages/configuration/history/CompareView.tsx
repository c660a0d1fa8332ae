import { useQuery } from '@tanstack/react-query'
import { useId, useMemo } from 'react'
import type { Configuration, Snapshot } from '#contract/console-api/shapes.ts'
import { apiQuery } from '../../../api/query.ts'
import { useErrorView } from '../../../i18n/describe-code.ts'
import { useText } from '../../../i18n/use-text.ts'
import { Button } from '../../../ui/Button.tsx'
import { ErrorState } from '../../../ui/ErrorState.tsx'
import { Select } from '../../../ui/Select.tsx'
import { SkeletonLines } from '../../../ui/Skeleton.tsx'
import { SNAPSHOT } from '../draft/endpoints.ts'
import { EMPTY } from '../draft/draft.ts'
import { useEditor } from '../editor/editor-context.ts'
import { Differences, keyOf } from './Differences.tsx'
import { differences, restore } from '../draft/restore.ts'

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
          <Snapshots key={`${from} ${to}`} before={first.data} after={after} />
        )}
      </div>
    </section>
  )
}

function Snapshots({ before, after }: { before: Configuration; after: Configuration }) {
  const { configuration } = useEditor()
  const { changes, restorable } = useMemo(() => {
    const changed = differences(before, after)
    const values = changed.map((change) => ({ ...change, value: change.before }))
    const { step } = restore(values, configuration, EMPTY)
    return {
      changes: changed,
      restorable: values.filter((value) => step.some((edit) => keyOf(edit) === keyOf(value))),
    }
  }, [before, after, configuration])
  return (
    <Differences
      action="restore"
      changes={changes}
      values={restorable}
      resourceOf={(locator) => after.resources[locator] ?? before.resources[locator]}
    />
  )
}

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
