import type { ReactNode } from 'react'
import type { LeafChange } from '../../base/json/diff-json.ts'
import { useText } from '../../i18n/use-text.ts'
import { Icon, type IconName } from '../Icon.tsx'
import { ValueView } from './ValueView.tsx'

export interface LeafLine {
  /** Unique in the list. */
  id: string
  /** Where the leaf is; empty for a whole value. */
  name: string
  change: LeafChange
  /** At the end of the line: who changed it. */
  tag?: string
}

/** What changed inside a value: a line for each leaf, with its place in words. */
export function LeafChanges({ lines, label }: { lines: readonly LeafLine[]; label?: string }) {
  return (
    <ul aria-label={label} className="space-y-1">
      {lines.map(({ id, name, change, tag }) => (
        <li key={id} className="flex min-w-0 flex-wrap items-baseline gap-x-3 gap-y-0.5">
          {name !== '' && <PlaceName name={name} />}
          <span className="min-w-0">
            <Change change={change} />
          </span>
          {tag !== undefined && <span className="ml-auto text-xs text-muted">{tag}</span>}
        </li>
      ))}
    </ul>
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

function Change({ change }: { change: LeafChange }) {
  const t = useText()
  switch (change.kind) {
    case 'moved':
      return (
        <Sign icon={change.to < change.from ? 'sortUp' : 'sortDown'} ink="text-moved">
          {t('common.diff.moved', { from: String(change.from), to: String(change.to) })}
        </Sign>
      )
    case 'added':
      return (
        <>
          <Sign icon="plus" ink="text-ok">
            {t('common.diff.added')}
          </Sign>{' '}
          <ValueView value={change.after} />
        </>
      )
    case 'removed':
      return (
        <>
          <Sign icon="minus" ink="text-fail">
            {t('common.diff.gone')}
          </Sign>{' '}
          <span className="text-muted line-through decoration-line-strong">
            <ValueView value={change.before} />
          </span>
        </>
      )
    case 'changed':
      return (
        <>
          <SideLabel>{t('common.diff.before')}</SideLabel>
          <span className="text-muted">
            <ValueView value={change.before} other={change.after} />
          </span>
          <Icon name="arrowRight" size={12} className="mx-1.5 inline-block align-[-1px] text-faint" />
          <SideLabel>{t('common.diff.after')}</SideLabel>
          <ValueView value={change.after} other={change.before} />
        </>
      )
  }
}

function Sign({ icon, ink, children }: { icon: IconName; ink: string; children: ReactNode }) {
  return (
    <span className={`inline-flex items-center gap-1 text-xs font-medium ${ink}`}>
      <Icon name={icon} size={12} />
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
