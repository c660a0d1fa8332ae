import { getRouteApi } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { ChangeRequestDetail } from '#contract/console-api/shapes.ts'
import type { Edit } from '../../forms/property/property-edit.ts'
import type { PropertyPlace } from '../../forms/property/property-place.ts'
import { editTo, isHidden } from '../../forms/property/property-value.ts'
import { propertyTitle } from '../../forms/property/property-labels.ts'
import { useText } from '../../i18n/use-text.ts'
import { EditedNotice, useEditedRequest } from '../../subjects/change-requests/edited-request.tsx'
import { Button } from '../../ui/Button.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { PropertyValueView } from '../../ui/value/ValueView.tsx'
import { editAt, isSamePlace, viewAt } from './draft/draft.ts'
import { mergeRequest, type AskedConflict } from './draft/merge-request.ts'
import { useEditor } from './editor/editor-context.ts'

const route = getRouteApi('/scopes/$env/$runtime/$workspace/configuration')

/**
 * Says that a change request is edited here, and puts its values into the draft, once, where the person has no edit. What
 * somebody else stores in the request meanwhile is merged with the draft.
 */
export function EditedRequest() {
  const { configuration, store } = useEditor()
  const { change } = route.useSearch()
  const { request } = useEditedRequest('CONFIGURE', change)
  const taken = useRef<ChangeRequestDetail | null>(null)
  const [merged, setMerged] = useState<{ by: string; conflicts: readonly AskedConflict[] } | null>(null)

  const put = (edits: readonly (PropertyPlace & { edit: Edit | null })[]) =>
    edits.length > 0 &&
    store.apply(
      edits.map(({ locator, property, edit }) => {
        const resource = configuration.resources[locator]
        const conflict = request?.conflicts.find((one) => isSamePlace(one, { locator, property }))
        const base = editAt(store.current(), locator, property)?.base ?? viewAt(resource, property)
        const isSensitive = resource?.definitions[property]?.isSensitive === true
        const next = edit && {
          edit,
          isSensitive,
          // where others have saved another value, the person decides as in any draft that is based on an earlier snapshot
          base: conflict === undefined ? base : conflict.base,
          version: configuration.snapshotVersion - (conflict === undefined ? 0 : 1),
        }
        return { locator, property, next }
      }),
    )
  const take = useEffectEvent((edited: ChangeRequestDetail) => {
    const before = taken.current
    taken.current = edited
    const asked = edited.input.changes ?? {}
    if (before?.changeRequestId === edited.changeRequestId) {
      const { edits, conflicts } = mergeRequest(before.input.changes ?? {}, asked, store.current())
      if (edits.length === 0 && conflicts.length === 0) return
      put(edits)
      const editor = edited.history.findLast(({ event }) => event === 'EDITED')
      setMerged({ by: editor?.by.name ?? edited.createdBy.name, conflicts })
      return
    }
    put(
      Object.entries(asked).flatMap(([locator, properties]) =>
        Object.entries(properties).flatMap(([property, view]) =>
          isHidden(view) || editAt(store.current(), locator, property) !== undefined
            ? []
            : [{ locator, property, edit: editTo(view) }],
        ),
      ),
    )
  })
  useEffect(() => {
    if (request !== null) take(request)
  }, [request])
  if (request === null) return null
  const settle = (settled: AskedConflict) =>
    setMerged((now) => now && { ...now, conflicts: now.conflicts.filter((conflict) => conflict !== settled) })
  return (
    <>
      <EditedNotice request={request} />
      {merged !== null && (
        <MergedNotice
          {...merged}
          onKeep={settle}
          onTake={(conflict) => {
            const { theirs } = conflict
            put([{ ...conflict, edit: theirs === undefined || isHidden(theirs) ? null : editTo(theirs) }])
            settle(conflict)
          }}
        />
      )}
    </>
  )
}

/** What somebody else has stored in the request while it was edited here. */
function MergedNotice({
  by,
  conflicts,
  onKeep,
  onTake,
}: {
  by: string
  conflicts: readonly AskedConflict[]
  onKeep: (conflict: AskedConflict) => void
  onTake: (conflict: AskedConflict) => void
}) {
  const t = useText()
  const { configuration } = useEditor()
  return (
    <Notice
      tone={conflicts.length > 0 ? 'warn' : 'info'}
      live
      title={t('changes.editing.merged', { person: by })}
    >
      {conflicts.length > 0 && (
        <>
          <p>{t('changes.editing.conflicts', { person: by })}</p>
          <ul className="mt-1 space-y-1">
            {conflicts.map((conflict) => {
              const { locator, property, theirs } = conflict
              const definition = configuration.resources[locator]?.definitions[property]
              const title = definition === undefined ? property : propertyTitle(definition, property)
              return (
                <li key={`${locator} ${property}`} className="flex flex-wrap items-center gap-x-3 gap-y-1">
                  <span className="font-medium">{title}</span>
                  <span className="min-w-0 flex-1 wrap-anywhere">
                    {theirs === undefined ? (
                      t('changes.approval.unset')
                    ) : (
                      <PropertyValueView value={theirs} />
                    )}
                  </span>
                  <Button size="sm" onClick={() => onTake(conflict)}>
                    {t('changes.editing.take', { property: title })}
                  </Button>
                  <Button size="sm" variant="quiet" onClick={() => onKeep(conflict)}>
                    {t('changes.editing.keep', { property: title })}
                  </Button>
                </li>
              )
            })}
          </ul>
        </>
      )}
    </Notice>
  )
}
