import { Fragment } from 'react'
import { useText } from '../i18n/use-text.ts'
import { cx } from './class-names.ts'
import { CopyButton } from './CopyButton.tsx'

/**
 * An id. The middle is what nobody compares: it is cut, the ends stay, and the whole is in the tooltip and in what is
 * copied. UUIDv7 begin with the time, so those of one minute look alike at the front: the end is kept longer.
 */
export function Id({
  id,
  full = false,
  copy = false,
  className,
}: {
  id: string
  full?: boolean
  copy?: boolean
  className?: string | undefined
}) {
  const t = useText()
  return (
    <span className={cx('inline-flex max-w-full min-w-0 items-center gap-0.5 align-bottom', className)}>
      <span
        className={cx('mono', full ? 'wrap-anywhere' : 'whitespace-nowrap')}
        title={full ? undefined : id}
      >
        {full ? id : shortenId(id)}
      </span>
      {copy && <CopyButton text={id} label={t('common.id.copy', { id })} />}
    </span>
  )
}

export function shortenId(id: string): string {
  return id.length <= 18 ? id : `${id.slice(0, 6)}…${id.slice(-8)}`
}

/** A key, version, code or locator: mono, whole, and broken where it must. */
export function Mono({ children, className }: { children: string; className?: string | undefined }) {
  return <span className={cx('mono wrap-anywhere', className)}>{children}</span>
}

/** A locator or scope: segments with quiet slashes between, so that the last one is found at once. */
export function Segments({ parts, className }: { parts: readonly (string | number)[]; className?: string }) {
  return (
    <span className={cx('mono wrap-anywhere', className)}>
      <span className="text-muted">
        {Object.entries(parts.slice(0, -1)).map(([position, part]) => (
          <Fragment key={position}>
            {part}
            <span className="text-faint">/</span>
          </Fragment>
        ))}
      </span>
      {parts.at(-1)}
    </span>
  )
}
