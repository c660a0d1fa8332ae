import type { ReactNode } from 'react'
import { useText } from '../i18n/use-text.ts'
import { useAsOf } from './as-of.ts'
import { cx } from './class-names.ts'
import { CopyButton } from './CopyButton.tsx'
import { TextLink, type LinkTarget } from './Link.tsx'

/**
 * An id, shortened in the middle, which nobody compares. The tooltip shows the full id, and copying copies it. UUIDv7
 * start with the time, so ids of the same minute have similar prefixes: the suffix shown is longer.
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

/** A link to something by its ID, which is its name until that is loaded, and its state beside it. In a stored document, the ID. */
export function IdLink({
  id,
  to,
  name,
  children,
}: {
  id: string
  to: LinkTarget
  name: string | undefined
  children: ReactNode
}) {
  if (useAsOf() !== null) return <Id id={id} full />
  return (
    <span className="inline-flex max-w-full flex-wrap items-center gap-x-2">
      <TextLink to={to}>{name ?? <span className="mono">{shortenId(id)}</span>}</TextLink>
      {children}
    </span>
  )
}

/** A key, version, code or locator: mono, not shortened, wrapped where necessary. */
export function Mono({ children, className }: { children: string; className?: string | undefined }) {
  return <span className={cx('mono wrap-anywhere', className)}>{children}</span>
}

/** A locator or scope: all but the last segment are muted, so that the last one is easy to find. */
export function Segments({
  parts,
  className,
}: {
  parts: readonly (string | number)[]
  className?: string | undefined
}) {
  return (
    <span className={cx('segments mono wrap-anywhere', className)}>
      <span className="text-muted">
        {parts
          .slice(0, -1)
          .map((part) => `${part}/`)
          .join('')}
      </span>
      {parts.at(-1)}
    </span>
  )
}

/** A resource locator: bundle environment, bundle, kind, name; the name is emphasized. */
export function LocatorText({ locator }: { locator: string }) {
  return <Segments parts={locator.split('/')} />
}
