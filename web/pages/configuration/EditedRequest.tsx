import { useEffect, useEffectEvent, useId, useRef, useState } from 'react'
import type { ChangeRequestDetail } from '#contract/console-api/shapes.ts'
import { parseTrustedJson } from '#contract/protocol/strict-json.ts'
import type { Edit } from '../../forms/property/property-edit.ts'
import type { PropertyPlace } from '../../forms/property/property-place.ts'
import { editTo, isHidden } from '../../forms/property/property-value.ts'
import { propertyTitle } from '../../forms/property/property-labels.ts'
import { useText } from '../../i18n/use-text.ts'
import { EditedNotice, hiddenToDecide } from '../../subjects/change-requests/edited-request.tsx'
import { Button } from '../../ui/Button.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { SideChoice } from '../../ui/SideChoice.tsx'
import { dismissTopic, showToast } from '../../ui/toast.ts'
import { PropertyValueView } from '../../ui/value/ValueView.tsx'
import { countEdits, editAt, isSamePlace, viewAt, type DraftStep } from './draft/draft.ts'
import { mergeRequest, type Asked, type AskedConflict } from './draft/merge-request.ts'
import { storedName } from './draft/stored-draft.ts'
import { useDraft } from './draft/use-draft-store.ts'
import { useEditor } from './editor/editor-context.ts'
import { useProposal } from './editor/use-proposal.ts'

/**
 * Says that a change request is edited here, and puts its values into the draft, once, where the person has no edit. What
 * somebody else stores in the request meanwhile is merged with the draft. The values of one that has ended are the beginning of
 * another change.
 */
export function EditedRequest({ ended }: { ended: ChangeRequestDetail | null }) {
  const { configuration, edited: request, store } = useEditor()
  const hasTaken = useRef(false)
  const [merged, setMerged] = useState<{ by: string; conflicts: readonly AskedConflict[] } | null>(null)

  const stepOf = (edits: readonly (PropertyPlace & { edit: Edit | null })[]): DraftStep =>
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
    })
  const take = useEffectEvent((edited: ChangeRequestDetail) => {
    const asked = edited.input.changes ?? {}
    // an earlier visit may have left edits here, and the request may have been edited since
    const before = hasTaken.current || countEdits(store.current()) > 0 ? readAsked(store.lastAsked()) : null
    hasTaken.current = true
    const text = JSON.stringify(asked)
    if (before !== null) {
      const { edits, conflicts } = mergeRequest(before, asked, store.current())
      store.takeAsked(text, stepOf(edits))
      if (edits.length === 0 && conflicts.length === 0) return
      const editor = edited.history.findLast(({ event }) => event === 'EDITED')
      setMerged({ by: editor?.by.name ?? edited.createdBy.name, conflicts })
      return
    }
    store.takeAsked(
      text,
      stepOf(
        Object.entries(asked).flatMap(([locator, properties]) =>
          Object.entries(properties).flatMap(([property, view]) =>
            // without knowing what the request asked for before, what was entered stays
            isHidden(view) || editAt(store.current(), locator, property) !== undefined
              ? []
              : [{ locator, property, edit: editTo(view) }],
          ),
        ),
      ),
    )
  })
  const taken = request ?? ended
  useEffect(() => {
    if (taken !== null) take(taken)
  }, [taken])
  if (request === null) return null
  const settle = (settled: AskedConflict) =>
    setMerged((now) => now && { ...now, conflicts: now.conflicts.filter((conflict) => conflict !== settled) })
  return (
    <>
      <EditedNotice request={request} asked={hiddenToDecide(request, configuration).length} />
      <HiddenToDecide />
      {merged !== null && (
        <MergedNotice
          {...merged}
          onKeep={settle}
          onTake={(conflict) => {
            const { theirs } = conflict
            const edit = theirs === undefined || isHidden(theirs) ? null : editTo(theirs)
            store.apply(stepOf([{ ...conflict, edit }]))
            settle(conflict)
          }}
        />
      )}
    </>
  )
}

/**
 * Which hidden value stays where others have saved another one since, or have removed the resource. Nobody sees them, so they are
 * not in the draft, and a request that has no other values is saved here.
 */
function HiddenToDecide() {
  const t = useText()
  const id = useId()
  const { configuration, store, definitionAt, hiddenSides, chooseHidden } = useEditor()
  const draft = useDraft(store)
  const { hiddenOpen, isUndecided, isEmpty, pending, send } = useProposal({
    draft,
    reason: '',
    arrival: null,
  })
  if (hiddenOpen.length === 0) return null
  const isGone = ({ locator }: PropertyPlace) => !Object.hasOwn(configuration.resources, locator)
  return (
    <Notice
      tone="warn"
      live
      title={t(
        hiddenOpen.every(isGone)
          ? 'changes.editing.gone'
          : hiddenOpen.some(isGone)
            ? 'changes.editing.goneAndSaved'
            : 'changes.editing.secrets.conflict',
      )}
      actions={
        countEdits(draft) === 0 && (
          <Button
            size="sm"
            busy={pending !== null}
            disabledReason={
              (isUndecided && t('changes.editing.secrets.undecided')) ||
              (isEmpty && t('changes.editing.nothing'))
            }
            onClick={() => void send({ only: () => true, submit: true })}
          >
            {t('changes.editing.save')}
          </Button>
        )
      }
    >
      {hiddenOpen.map((place) => {
        const title = propertyTitle(definitionAt(place.locator, place.property), place.property)
        const name = storedName(place)
        const inWords = (text: string) => <span className="text-muted">{text}</span>
        return (
          <fieldset key={name} className="mt-2">
            <legend className="mb-1 font-medium wrap-anywhere">
              {isGone(place) ? <span className="mono">{`${place.locator} ${place.property}`}</span> : title}
            </legend>
            <SideChoice
              name={`${id} ${name}`}
              chosen={hiddenSides.get(name)}
              onChoose={(side) => chooseHidden(place, side)}
              options={[
                {
                  side: 'theirs',
                  label: t(isGone(place) ? 'changes.editing.gone.leave' : 'configuration.conflict.theirs'),
                  value: inWords(
                    t(isGone(place) ? 'changes.conflict.gone' : 'configuration.conflict.theirsHidden'),
                  ),
                },
                {
                  side: 'mine',
                  label: t('configuration.conflict.mine'),
                  value: inWords(t('changes.editing.secrets.mine')),
                },
              ]}
            />
          </fieldset>
        )
      })}
    </Notice>
  )
}

/** What a request asked for when its values were put into the draft, as `take` left it there. */
const readAsked = (text: string | null): Asked | null =>
  text === null ? null : (parseTrustedJson(text) as Asked)

const TOPIC = 'edited request'

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
  const place = useRef<HTMLDivElement>(null)
  const title = t('changes.editing.merged', { person: by })
  // on a phone it is above the fields, out of sight
  const tellIfHidden = useEffectEvent((hasConflicts: boolean) => {
    const { left = 0, top = 0 } = place.current?.getBoundingClientRect() ?? {}
    // a point within the window, which nothing covers
    if (place.current?.contains(document.elementFromPoint(left + 1, top + 1)) === true) return
    const show = () => place.current?.scrollIntoView({ block: 'center' })
    const tone = hasConflicts ? 'warn' : 'info'
    showToast({ tone, topic: TOPIC, text: title, action: { label: t('changes.open.show'), onPress: show } })
  })
  useEffect(() => {
    tellIfHidden(conflicts.length > 0)
    return () => dismissTopic(TOPIC)
  }, [conflicts])
  return (
    <div ref={place}>
      <Notice tone={conflicts.length > 0 ? 'warn' : 'info'} live title={title}>
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
    </div>
  )
}
