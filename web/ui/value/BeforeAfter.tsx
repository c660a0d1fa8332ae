import { useMemo, type ReactNode } from 'react'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { diffJson } from '#contract/json-schema/diff-json.ts'
import { pathOf, type Step } from '#contract/json-schema/list-items.ts'
import { cx } from '../class-names.ts'
import { useFirstItems } from '../FirstItems.tsx'
import { LeafChanges, longTexts, LongChange, Pair, type SideNames } from './LeafChanges.tsx'
import { plainIn } from './plain-value.ts'
import { PropertyValueView, type PropertyValue } from './ValueView.tsx'

/** A place inside a value, in words. */
export type NameOf = (steps: readonly Step[], value: JsonValue | undefined) => string

export type Change = {
  /** Unique in the list. */
  id: string
  name: ReactNode
  before: PropertyValue
  after: PropertyValue
  /** Names the places inside the value; by default members have their names, and items their keys or positions. */
  nameOf?: NameOf
  /** Below the name: a note, a control. */
  note?: ReactNode
  /** A button at the end of the line. */
  action?: ReactNode
  /** It is not going to happen: shown faintly. */
  isOff?: boolean
}

/**
 * Changes, each with its value before and after. Of a structured value there is a line for each leaf that differs, and of
 * a text the words that differ are marked. With `sides` neither of the two is older: they stand under their names, or under
 * those of a `SideHead` above several lists.
 */
export function BeforeAfter({
  changes,
  label,
  sides,
  hasHead = true,
  most = SHOWN,
}: {
  changes: readonly Change[]
  label: string
  sides?: SideNames | undefined
  hasHead?: boolean
  /** How many are shown at first. */
  most?: number
}) {
  const { shown, more } = useFirstItems(changes, most)
  return (
    <div className="@container/changes rounded-lg border border-line bg-surface">
      {sides !== undefined && hasHead && (
        <SideHead sides={sides} className="rounded-t-lg border-b border-line" />
      )}
      <dl aria-label={label} className="divide-y divide-line">
        {shown.map((change) => (
          <div key={change.id} className={`grid gap-x-4 gap-y-1 px-4 py-2 ${COLUMNS}`}>
            <dt className="min-w-0">
              <span className="mono font-medium wrap-anywhere">{change.name}</span>
              {change.note && <span className="block text-xs text-faint">{change.note}</span>}
            </dt>
            <dd className={cx('min-w-0', change.isOff === true && 'opacity-60')}>
              <WithAction action={change.action}>
                <ChangedValue {...change} sides={sides} />
              </WithAction>
            </dd>
          </div>
        ))}
      </dl>
      {more}
    </div>
  )
}

const SHOWN = 200

const COLUMNS = '@min-[44rem]/changes:grid-cols-[minmax(9rem,14rem)_minmax(0,1fr)]'

/** The names of the sides above their columns; it stands in a container `changes`. */
export function SideHead({ sides, className }: { sides: SideNames; className: string }) {
  return (
    <div
      aria-hidden="true"
      className={cx('grid gap-x-4 bg-sunken px-4 py-1.5 text-xs font-medium text-muted', COLUMNS, className)}
    >
      <span className="hidden @min-[44rem]/changes:block" />
      <span className="grid grid-cols-2 gap-x-4">
        <span className="wrap-anywhere">{sides.before}</span>
        <span className="wrap-anywhere">{sides.after}</span>
      </span>
    </div>
  )
}

/** A value with a button at the end of its line, which makes the line no higher. */
export function WithAction({ action, children }: { action: ReactNode; children: ReactNode }) {
  if (action === undefined || action === false) return children
  return (
    <div className="flex items-start justify-between gap-4">
      <div className="min-w-0">{children}</div>
      <div className="-my-[3px] shrink-0">{action}</div>
    </div>
  )
}

/** One value before and after, without its name. */
export function ChangedValue({
  before,
  after,
  nameOf = plainName,
  sides,
}: Pick<Change, 'before' | 'after' | 'nameOf'> & { sides?: SideNames | undefined }) {
  const [from, to] = [plainIn(before), plainIn(after)]
  const changes = useMemo(() => diffJson(from, to), [from, to])
  // a whole value, also one that was not set
  if (changes.length === 0 || changes.some(({ steps }) => steps.length === 0)) {
    const pair = (
      <Pair
        before={<PropertyValueView value={before} other={after} />}
        after={<PropertyValueView value={after} other={before} />}
        sides={sides}
      />
    )
    const texts = longTexts(from, to)
    return texts === null ? pair : <LongChange texts={texts} sides={sides} pair={pair} />
  }
  const lines = changes.map((change) => ({
    id: `${change.kind} ${pathOf(change.steps)}`,
    name: nameOf(change.steps, change.kind === 'removed' ? from : to),
    change,
  }))
  return <LeafChanges lines={lines} sides={sides} />
}

/** The names of members, and the keys or positions of items. */
export const plainName: NameOf = (steps) =>
  steps.map((step) => (typeof step === 'string' ? step : (step.key ?? String(step.position)))).join(' › ')
