import { Suspense, type ReactNode } from 'react'
import type { LeafChange } from '#contract/json-schema/diff-json.ts'
import { lazyPart } from '../../base/lazy-part.ts'
import { useText } from '../../i18n/use-text.ts'
import { useFirstItems } from '../FirstItems.tsx'
import { Icon, type IconName } from '../Icon.tsx'
import { isLongText, ValueView } from './ValueView.tsx'

export interface LeafLine {
  /** Unique in the list. */
  id: string
  /** Where the leaf is. */
  name: string
  change: LeafChange
  /** At the end of the line: who changed it. */
  tag?: string
}

/** What the sides of a comparison are called where neither is older. */
export type SideNames = { before: string; after: string }

const SHOWN = 20

const TextChange = lazyPart(async () => (await import('./TextChange.tsx')).TextChange)

/** What changed inside a value: a line for each leaf, with its place in words. */
export function LeafChanges({
  lines,
  label,
  sides,
}: {
  lines: readonly LeafLine[]
  label?: string
  sides?: SideNames | undefined
}) {
  const { shown, more } = useFirstItems(lines, SHOWN)
  return (
    <>
      <ul aria-label={label} className="min-w-0 space-y-1">
        {shown.map(({ id, name, change, tag }) => (
          <li
            key={id}
            className={
              sides === undefined
                ? 'flex min-w-0 flex-wrap items-baseline gap-x-3 gap-y-0.5'
                : 'min-w-0 border-b border-line pb-1 last:border-b-0 last:pb-0'
            }
          >
            <PlaceName name={name} />
            <Change change={change} sides={sides} />
            {tag !== undefined && <span className="ml-auto text-xs text-muted">{tag}</span>}
          </li>
        ))}
      </ul>
      {more}
    </>
  )
}

/** A place inside a value: what leads to it steps back, so that the leaf is found at a glance. */
export function PlaceName({ name }: { name: string }) {
  const last = name.lastIndexOf(' › ')
  return (
    <span className="min-w-0 wrap-anywhere">
      {last !== -1 && <span className="text-muted">{name.slice(0, last)} › </span>}
      <span className="font-medium">{last === -1 ? name : name.slice(last + 3)}</span>
    </span>
  )
}

function Change({ change, sides }: { change: LeafChange; sides: SideNames | undefined }) {
  const t = useText()
  if (change.kind === 'moved') {
    const { from, to, item } = change
    // an object is known by its place
    const shown = typeof item === 'object' ? null : <ValueView value={item} />
    if (sides === undefined)
      return (
        <span className="min-w-0">
          <Sign icon={to < from ? 'sortUp' : 'sortDown'} ink="text-moved">
            {t('common.diff.moved', { from: String(from), to: String(to) })}
          </Sign>{' '}
          {shown}
        </span>
      )
    const at = (n: number) => (
      <>
        {shown} <span className="text-muted">{t('common.diff.position', { n })}</span>
      </>
    )
    return <Pair before={at(from)} after={at(to)} sides={sides} />
  }
  const { kind, before, after } = change
  const pair = (
    <Pair
      before={<ValueView value={before} other={after} />}
      after={<ValueView value={after} other={before} />}
      sides={sides}
    />
  )
  const texts = longTexts(before, after)
  if (texts !== null) return <LongChange texts={texts} sides={sides} pair={pair} />
  if (kind === 'changed' || sides !== undefined) return pair
  return kind === 'added' ? (
    <span className="min-w-0">
      <Sign icon="plus" ink="text-ok">
        {t('common.diff.added')}
      </Sign>{' '}
      <ValueView value={after} />
    </span>
  ) : (
    <span className="min-w-0">
      <Sign icon="minus" ink="text-fail">
        {t('common.diff.gone')}
      </Sign>{' '}
      <span className="text-muted line-through decoration-line-strong">
        <ValueView value={before} />
      </span>
    </span>
  )
}

/** Two texts, at least one of them long, to be compared line by line; null for other values. */
export function longTexts(before: unknown, after: unknown): { before: string; after: string } | null {
  if (typeof before !== 'string' || typeof after !== 'string' || before === '' || after === '') return null
  return isLongText(before) || isLongText(after) ? { before, after } : null
}

/** A change of a long text; until its diff has loaded, the change as a pair of values. */
export function LongChange({
  texts,
  sides,
  pair,
}: {
  texts: { before: string; after: string }
  sides: SideNames | undefined
  pair: ReactNode
}) {
  return (
    <Suspense fallback={pair}>
      <TextChange {...texts} isNeutral={sides !== undefined} />
    </Suspense>
  )
}

/** Two values: one after the other, or side by side where neither is older. */
export function Pair({
  before,
  after,
  sides,
}: {
  before: ReactNode
  after: ReactNode
  sides?: SideNames | undefined
}) {
  const t = useText()
  if (sides !== undefined)
    return (
      <span className="grid min-w-0 grid-cols-2 gap-x-4">
        {[
          { name: sides.before, value: before },
          { name: sides.after, value: after },
        ].map(({ name, value }) => (
          <span key={name} className="min-w-0">
            <SideLabel>{name}</SideLabel>
            {value}
          </span>
        ))}
      </span>
    )
  return (
    <span className="min-w-0">
      <SideLabel>{t('common.diff.before')}</SideLabel>
      <span className="text-muted">{before}</span>
      <Icon name="arrowRight" size={12} className="mx-1.5 inline-block align-[-1px] text-faint" />
      <SideLabel>{t('common.diff.after')}</SideLabel>
      <span className="font-medium">{after}</span>
    </span>
  )
}

function Sign({ icon, ink, children }: { icon: IconName; ink: string; children: ReactNode }) {
  return (
    <span className={`text-xs font-medium ${ink}`}>
      <Icon name={icon} size={12} className="mr-1 inline-block align-[-1px]" />
      {children}
    </span>
  )
}

/** Which side a value is, for those who do not see where it stands. */
function SideLabel({ children }: { children: string }) {
  const t = useText()
  return (
    <span className="sr-only">
      {children}
      {t('common.punctuation.colon')}
    </span>
  )
}
