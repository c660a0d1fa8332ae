import type { Side } from '#contract/json-schema/merge-json.ts'
import { useRichText, useText } from '../../../i18n/use-text.ts'
import { Button } from '../../../ui/Button.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { Time } from '../../../ui/Time.tsx'
import { useEditor } from '../editor/editor-context.ts'
import { SnapshotEntry } from '../history/SnapshotEntry.tsx'
import { propertyTitle, resourceTitle, placeNamer } from '../../../forms/property/property-labels.ts'
import type { SideChoice, Merged } from '../draft/merge.ts'
import type { MergeState } from '../editor/use-merge.ts'
import { ConflictCard } from './ConflictCard.tsx'
import { MergedChanges } from '../../../subjects/merge/MergedChanges.tsx'
import { plainSides } from '../../../subjects/merge/merge-values.ts'

/** The verdicts that the person decides. */
const DECIDED = ['conflict', 'gone'] as const
/** Those that need no decision. */
const UNTOUCHED = ['kept', 'same', 'undone'] as const

/** What others have saved since the person's edits began, and the consequence for each edit. */
export function ConflictStep({
  merge,
  choiceOf,
  onChoose,
}: {
  merge: MergeState
  choiceOf: (merged: Merged) => SideChoice | undefined
  onChoose: (choice: SideChoice) => void
}) {
  const t = useText()
  const rich = useRichText()
  const { behind, since } = merge
  const ofKind = (kind: Merged['verdict']['kind']) => behind.filter(({ verdict }) => verdict.kind === kind)
  const joined = ofKind('merged')
  const isOnly = DECIDED.flatMap(ofKind).length === 1
  const last = since[0]
  return (
    <div className="space-y-5">
      {last !== undefined && (
        <p>
          {rich('configuration.conflict.who', {
            person: <span className="font-semibold">{last.savedBy.name}</span>,
            when: <Time at={last.savedAt} />,
            version: String(last.snapshotVersion),
          })}
          {last.reason !== null && <span className="text-muted wrap-anywhere"> “{last.reason}”</span>}
        </p>
      )}
      {merge.checkFailed && <Notice tone="warn">{t('configuration.conflict.noHistory')}</Notice>}
      {DECIDED.map((kind) => {
        const edits = ofKind(kind)
        return (
          edits.length > 0 && (
            <section key={kind} aria-labelledby={kind} className="space-y-3">
              <h3 id={kind} className="text-md font-semibold">
                {t(
                  kind === 'conflict' ? 'configuration.conflict.overlapping' : 'configuration.conflict.gone',
                  { n: edits.length },
                )}
              </h3>
              {edits.map((merged) => (
                <ConflictCard
                  key={`${merged.locator} ${merged.property}`}
                  merged={merged}
                  choice={choiceOf(merged)}
                  isOnly={isOnly}
                  onChoose={onChoose}
                />
              ))}
            </section>
          )
        )
      })}
      {joined.length > 0 && (
        <Joined title={t('configuration.conflict.merged', { n: joined.length })} edits={joined} />
      )}
      {UNTOUCHED.map((kind) => {
        const edits = ofKind(kind)
        return (
          edits.length > 0 && (
            <Untouched
              key={kind}
              title={t(`configuration.conflict.${kind}`, { n: edits.length })}
              edits={edits}
            />
          )
        )
      })}
      {since.length > 0 && (
        <details className="group rounded-lg border border-line">
          <summary className="flex min-h-9 cursor-pointer items-center gap-2 px-3 font-medium">
            <Icon name="chevronRight" size={12} className="text-muted group-open:rotate-90" />
            {t('configuration.conflict.since', { n: since.length })}
          </summary>
          <ol className="divide-y divide-line border-t border-line">
            {since.map((snapshot) => (
              <li key={snapshot.snapshotVersion} className="px-3 py-3">
                <SnapshotEntry snapshot={snapshot} />
              </li>
            ))}
          </ol>
        </details>
      )}
    </div>
  )
}

const NO_CONFLICTS: readonly [] = []

/** Properties that both changed at different places. */
function Joined({ title, edits }: { title: string; edits: readonly Merged[] }) {
  const t = useText()
  const { resourceAt, definitionAt } = useEditor()
  return (
    <section aria-label={title} className="space-y-2">
      <p className="flex items-center gap-2 font-medium">
        <Icon name="check" size={14} className="text-ok" />
        {title}
      </p>
      {edits.map((merged) => {
        const { locator, property, verdict } = merged
        const resource = resourceAt(locator)
        const definition = definitionAt(locator, property)
        return (
          <MergedChanges
            key={`${locator} ${property}`}
            sides={plainSides(merged)}
            conflicts={NO_CONFLICTS}
            person={verdict.kind === 'merged' ? (verdict.by?.savedBy.name ?? null) : null}
            nameOf={placeNamer(definition, t)}
            title={`${propertyTitle(definition, property)} · ${resourceTitle(resource, locator)}`}
            className="rounded-lg border border-line px-4 py-2.5"
          />
        )
      })}
    </section>
  )
}

function Untouched({ title, edits }: { title: string; edits: readonly Merged[] }) {
  const { resourceAt, definitionAt } = useEditor()
  return (
    <section aria-label={title}>
      <p className="flex items-center gap-2 font-medium">
        <Icon name="check" size={14} className="text-ok" />
        {title}
      </p>
      <ul className="mt-1 ml-5.5 flex flex-wrap gap-x-4 text-muted">
        {edits.map(({ locator, property }) => {
          const resource = resourceAt(locator)
          return (
            <li key={`${locator} ${property}`}>
              {resourceTitle(resource, locator)} · {propertyTitle(definitionAt(locator, property), property)}
            </li>
          )
        })}
      </ul>
    </section>
  )
}

export function ConflictFooter({
  open,
  total,
  gone,
  isChecking,
  onAll,
  onClose,
  onApply,
}: {
  /** The leaves to decide on. */
  open: number
  total: number
  /** How many of them can only be discarded. */
  gone: number
  isChecking: boolean
  /** Takes one side for everything. */
  onAll: (side: Side) => void
  onClose: () => void
  onApply: () => void
}) {
  const t = useText()
  const reason = isChecking
    ? t('configuration.review.blocked.checking')
    : open > 0 && t('configuration.conflict.open', { n: open })
  return (
    <>
      {total > 0 && (
        <div className="mr-auto flex flex-wrap items-center gap-2">
          {/* on a phone, it would take a line of its own, and the button says what is open */}
          <span role="status" className="font-medium tabular-nums max-sm:sr-only">
            {t('configuration.conflict.decided', { n: total, done: String(total - open) })}
          </span>
          {/* how many are open is said by those that are decided, and by the button */}
          {isChecking && <span className="text-muted">{reason}</span>}
          {total > 1 && (
            <Button variant="quiet" onClick={() => onAll('theirs')}>
              {t(gone === total ? 'configuration.conflict.all.letGo' : 'configuration.conflict.all.theirs')}
            </Button>
          )}
          {/* what is gone cannot be kept */}
          {total > 1 && gone < total && (
            <Button variant="quiet" onClick={() => onAll('mine')}>
              {t('configuration.conflict.all.mine')}
            </Button>
          )}
        </div>
      )}
      <Button onClick={onClose}>{t('configuration.review.back')}</Button>
      <Button variant="primary" disabledReason={reason} onClick={onApply}>
        {t('configuration.conflict.apply')}
      </Button>
    </>
  )
}
