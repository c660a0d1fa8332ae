import type { ReactNode } from 'react'
import { useText } from '../../i18n/use-text.ts'
import { cx } from '../class-names.ts'
import { PropertyValueView, type PropertyValue } from './ValueView.tsx'

export type Change = {
  /** Unique in the list. */
  id: string
  name: ReactNode
  before: PropertyValue
  after: PropertyValue
  /** Shown instead of `before` and `after`, if these are not to be rendered as property values. */
  shown?: { before: ReactNode; after: ReactNode }
  /** Below the name: a note, a control. */
  note?: ReactNode
  /** It is not going to happen: shown faintly. */
  isOff?: boolean
}

/**
 * Changes, each with its value before and after. The signs distinguish the sides without color, and the part of a text
 * that differs is marked.
 */
export function BeforeAfter({ changes, label }: { changes: readonly Change[]; label: string }) {
  const t = useText()
  return (
    <div className="@container/changes rounded-lg border border-line bg-surface">
      <dl aria-label={label} className="divide-y divide-line">
        {changes.map((change) => (
          <div
            key={change.id}
            className="grid gap-x-4 gap-y-1 px-4 py-2.5 @min-[44rem]/changes:grid-cols-[minmax(9rem,14rem)_minmax(0,1fr)]"
          >
            <dt className="min-w-0 @min-[44rem]/changes:pt-1">
              <span className="mono font-medium wrap-anywhere">{change.name}</span>
              {change.note && <span className="block text-xs text-faint">{change.note}</span>}
            </dt>
            <dd
              className={cx(
                'grid min-w-0 content-start gap-1 @min-[44rem]/changes:grid-cols-2',
                change.isOff === true && 'opacity-60',
              )}
            >
              <Side sign="−" label={t('common.diff.before')} tint="bg-fail-tint" signInk="text-fail">
                {change.shown?.before ?? <PropertyValueView value={change.before} other={change.after} />}
              </Side>
              <Side sign="+" label={t('common.diff.after')} tint="bg-ok-tint" signInk="text-ok">
                {change.shown?.after ?? <PropertyValueView value={change.after} other={change.before} />}
              </Side>
            </dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

function Side({
  sign,
  label,
  tint,
  signInk,
  children,
}: {
  sign: string
  label: string
  tint: string
  signInk: string
  children: ReactNode
}) {
  const t = useText()
  return (
    <div className={`flex min-w-0 gap-2 rounded-sm px-2 py-1 ${tint}`}>
      <span aria-hidden="true" className={`mono w-2 shrink-0 font-semibold ${signInk}`}>
        {sign}
      </span>
      <span className="sr-only">
        {label}
        {t('common.punctuation.colon')}
      </span>
      <span className="min-w-0 flex-1">{children}</span>
    </div>
  )
}
