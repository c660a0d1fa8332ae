import { useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useId, useMemo, useState } from 'react'
import type { Scope } from '#contract/protocol/scope.ts'
import type { Side } from '#contract/json-schema/merge-json.ts'
import { apiQuery } from '../../../api/query.ts'
import type { FieldId } from '../../../forms/property/property-place.ts'
import type { Edit } from '../../../forms/property/property-edit.ts'
import { propertyTitle, placeNamer } from '../../../forms/property/property-labels.ts'
import { viewOf } from '../../../forms/property/property-value.ts'
import { useRichText, useText } from '../../../i18n/use-text.ts'
import { SNAPSHOT, snapshotsSince, touchesOf } from '../../../subjects/merge/changes-since.ts'
import { LeafChoice, WholeChoice } from '../../../subjects/merge/LeafChoice.tsx'
import { MergedChanges } from '../../../subjects/merge/MergedChanges.tsx'
import { SideButtons } from '../../../subjects/merge/SideButtons.tsx'
import { plainSides, WHOLE } from '../../../subjects/merge/merge-values.ts'
import type { Edits, FormResource } from '../../../subjects/operation-form/property-form.ts'
import { Button } from '../../../ui/Button.tsx'
import { Section } from '../../../ui/Card.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { Time } from '../../../ui/Time.tsx'
import { plainIn } from '../../../ui/value/plain-value.ts'
import { editOnTheirs, isDecided, movedFields, type FieldPicks, type MovedField } from './merge-fields.ts'

/**
 * What others have saved since the values of an upgrade were begun. What they changed elsewhere joins what was entered; what
 * both changed differently is decided leaf by leaf, as in the editor.
 */
export function UpgradeMerge({
  scope,
  base,
  snapshotVersion,
  resources,
  edits,
  onMove,
}: {
  scope: Scope
  /** The snapshot that the entered values are based on, which is no longer the newest one. */
  base: number
  snapshotVersion: number
  resources: readonly FormResource[]
  edits: Edits
  /**
   * Bases the entered values on the newest snapshot.
   *
   * @param changed The edits to change, of what is entered by then: null ends one. Null if some are not decided yet.
   */
  onMove: (changed: (entered: Edits) => ReadonlyMap<FieldId, Edit | null> | null) => void
}) {
  const t = useText()
  const rich = useRichText()
  const [picks, setPicks] = useState<FieldPicks>(new Map())
  const valuesAt = (version: number) => ({
    ...apiQuery(SNAPSHOT, { params: { ...scope, snapshotVersion: version } }),
    staleTime: Infinity,
  })
  const before = useQuery(valuesAt(base))
  const now = useQuery(valuesAt(snapshotVersion))
  const history = useQuery(snapshotsSince(scope, base, snapshotVersion))
  const isKnown = before.data !== undefined && now.data !== undefined && !history.isPending
  const movedIn = useMemo(() => {
    const touches = history.data?.isWhole === true ? touchesOf(history.data.snapshots, base) : null
    return (entered: Edits) =>
      before.data === undefined || now.data === undefined
        ? []
        : movedFields(resources, entered, { base: before.data, theirs: now.data, touches })
  }, [before.data, now.data, history.data, resources, base])
  const moved = useMemo(() => movedIn(edits), [movedIn, edits])
  const open = moved.filter(({ conflicts }) => conflicts.length > 0)
  const decided = open.filter((one) => isDecided(one, picks)).length
  const move = () =>
    onMove((entered) => {
      const all = movedIn(entered)
      if (!all.every((one) => isDecided(one, picks))) return null
      return new Map(all.map((one) => [one.field.id, editOnTheirs(one, picks)]))
    })
  const moveAlone = useEffectEvent(move)
  useEffect(() => {
    if (isKnown && movedIn(edits).every(({ conflicts }) => conflicts.length === 0)) moveAlone()
  }, [isKnown, movedIn, edits])
  const failed = [before, now].find(({ isError }) => isError)
  if (failed !== undefined)
    return (
      <Notice
        tone="warn"
        live
        title={t('installations.upgrade.stale.title')}
        actions={
          <>
            <Button size="sm" onClick={() => void Promise.all([before.refetch(), now.refetch()])}>
              {t('common.retry')}
            </Button>
            <Button size="sm" onClick={() => onMove(() => new Map())}>
              {t('installations.upgrade.stale.take', { snapshot: String(snapshotVersion) })}
            </Button>
          </>
        }
      >
        {t('installations.upgrade.stale.text', { snapshot: String(snapshotVersion), base: String(base) })}
      </Notice>
    )
  if (!isKnown || open.length === 0) return null
  const last = history.data?.snapshots[0]
  return (
    <Section
      title={t('configuration.conflict.title')}
      description={
        last &&
        rich('configuration.conflict.who', {
          person: <span className="font-semibold">{last.savedBy.name}</span>,
          when: <Time at={last.savedAt} />,
          version: String(last.snapshotVersion),
        })
      }
      flush
    >
      <div className="space-y-3" role="group" aria-label={t('configuration.conflict.title')}>
        <p role="status">{t('configuration.conflict.overlapping', { n: open.length })}</p>
        {open.map((one) => (
          <Moved
            key={one.field.id}
            moved={one}
            picks={picks.get(one.field.id) ?? NO_PICKS}
            onPick={(side, paths) => {
              const of = new Map(picks.get(one.field.id))
              for (const path of paths) of.set(path, side)
              setPicks(new Map(picks).set(one.field.id, of))
            }}
          />
        ))}
        <p className="flex flex-wrap items-center gap-3">
          <Button
            disabledReason={
              decided < open.length && t('configuration.conflict.open', { n: open.length - decided })
            }
            onClick={move}
          >
            {t('configuration.conflict.apply')}
          </Button>
          <span className="text-muted">
            {t('configuration.conflict.decided', { done: decided, n: open.length })}
          </span>
        </p>
      </div>
    </Section>
  )
}

const NO_PICKS: ReadonlyMap<string, Side> = new Map()

/** One property that both changed: each leaf in conflict, and what is kept from both sides. */
function Moved({
  moved,
  picks,
  onPick,
}: {
  moved: MovedField
  picks: ReadonlyMap<string, Side>
  onPick: (side: Side, paths: readonly string[]) => void
}) {
  const t = useText()
  const rich = useRichText()
  const id = useId()
  const { field, resource, edit, isSensitive, by, conflicts } = moved
  const title = propertyTitle(field.definition, field.property)
  const isWhole = conflicts.every(({ path, kind }) => path === WHOLE && kind === 'value')
  const nameOf = placeNamer(field.definition, t)
  const paths = conflicts.map(({ path }) => path)
  return (
    <fieldset aria-labelledby={`${id}-title`} className="min-w-0 rounded-lg border border-line-strong">
      <div className="flex min-h-10 flex-wrap items-center gap-x-2 gap-y-1 border-b border-line px-4 py-1.5">
        <span id={`${id}-title`} className="font-semibold">
          {title}
        </span>
        <span className="text-muted">{resource}</span>
        {by !== null && (
          <span className="text-xs text-muted">
            {rich('configuration.history.who', { person: by.savedBy.name, when: <Time at={by.savedAt} /> })}
          </span>
        )}
        {paths.length > 1 && <SideButtons title={title} onChoose={(side) => onPick(side, paths)} />}
      </div>
      <div className="space-y-3 px-4 py-3">
        {isWhole ? (
          <WholeChoice
            merged={moved}
            name={`${id}-choice`}
            chosen={picks.get(WHOLE)}
            onChoose={(side) => onPick(side, [WHOLE])}
          />
        ) : (
          conflicts.map((conflict) => (
            <LeafChoice
              key={`${conflict.kind} ${conflict.path}`}
              conflict={conflict}
              place={nameOf(conflict.steps, plainIn(viewOf(edit, isSensitive)))}
              chosen={picks.get(conflict.path)}
              onChoose={(side) => onPick(side, [conflict.path])}
            />
          ))
        )}
      </div>
      {!isWhole && (
        <MergedChanges
          sides={plainSides(moved)}
          conflicts={conflicts}
          person={by?.savedBy.name ?? null}
          nameOf={nameOf}
          title={t('configuration.conflict.joined')}
          className="border-t border-line px-4 py-2.5"
        />
      )}
    </fieldset>
  )
}
