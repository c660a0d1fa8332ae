import { Fragment, type ReactNode } from 'react'
import { cx } from '../class-names.ts'
import { partsOf, spelledOut } from '../values/unseen-characters.ts'

/**
 * A text, or a part of it, with signs for what cannot be seen. The signs are generated, so a copy of the text does not
 * have them. What changes the direction has no effect outside of its own sign.
 */
export function MarkedText({
  text,
  from = 0,
  to = text.length,
  isJson = false,
  isSpelledOut = false,
  inLine = false,
}: {
  text: string
  from?: number
  to?: number
  isJson?: boolean
  /** Adds the codes of all characters that are not ASCII. */
  isSpelledOut?: boolean
  /** Shows the text without breaking its lines. */
  inLine?: boolean
}) {
  const parts = isSpelledOut ? spelledOut(text.slice(from, to), isJson) : partsOf(text, { from, to, isJson })
  return parts.map(({ text: part, sign }, index) =>
    sign === null ? (
      // the parts of a text have no identity
      // oxlint-disable-next-line react/no-array-index-key
      <Fragment key={index}>{inLine ? part.replaceAll('\n', ' ') : part}</Fragment>
    ) : (
      <span
        // oxlint-disable-next-line react/no-array-index-key
        key={index}
        data-sign={sign}
        className={cx('unseen', inLine && 'whitespace-nowrap')}
      >
        {part}
      </span>
    ),
  )
}

/** A part of a text that differs from the other side of a change. */
export function Changed({ children }: { children: ReactNode }) {
  return <mark className="rounded-sm bg-transparent font-semibold text-ink underline">{children}</mark>
}
