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
  name: ReactNode
  children?: ReactNode
}) {
  if (useAsOf() !== null) return <Id id={id} full />
  return (
    <span className="inline-flex max-w-full flex-wrap items-center gap-x-2">
      <TextLink to={to}>{name ?? <span className="mono">{shortenId(id)}</span>}</TextLink>
      {children}
    </span>
  )
}

/** A shorter path fits where it is. */
const WRAPPED_FROM = 30
/** Of a longer segment, with its slash, a row shows only both ends. */
const SEGMENT_MAX = 21
const SEGMENT_START = 8
const SEGMENT_END = -10

/** A path that wraps after a slash before it wraps in a word; by themselves, browsers wrap only after hyphens. */
export const breakable = (
  path: string,
  wraps = path.length >= WRAPPED_FROM && path.includes('/'),
): ReactNode =>
  wraps
    ? Object.entries(path.split(/(?<=\/)/)).map(([at, segment]) => (
        <span key={at} className="segment">
          {segment.length > SEGMENT_MAX ? (
            <>
              {segment.slice(0, SEGMENT_START)}
              {/* a row hides it from view only: the segment is read, found and copied as a whole */}
              <span className="segment-middle">{segment.slice(SEGMENT_START, SEGMENT_END)}</span>
              {segment.slice(SEGMENT_END)}
            </>
          ) : (
            segment
          )}
        </span>
      ))
    : path

/** A key, version, code, locator or address: mono, not shortened, wrapped where necessary. */
export function Mono({ children, className }: { children: string; className?: string | undefined }) {
  return <span className={cx('mono wrap-anywhere', className)}>{breakable(children)}</span>
}

/**
 * A locator or scope: all but the last segment are muted, so that the last one is easy to find.
 *
 * @param wraps As `breakable`, also if it is short: rows are wide enough, and have few elements.
 */
export function Segments({
  parts,
  wraps,
  className,
}: {
  parts: readonly (string | number)[]
  wraps?: boolean
  className?: string | undefined
}) {
  const path = parts.join('/')
  const last = path.lastIndexOf('/') + 1
  return (
    <span className={cx('segments mono wrap-anywhere', className)}>
      <span className="text-muted">
        {breakable(path.slice(0, last), wraps ?? path.length >= WRAPPED_FROM)}
      </span>
      {path.slice(last)}
    </span>
  )
}

/** A resource locator: bundle environment, bundle, kind, name; the name is emphasized. */
export function LocatorText({ locator }: { locator: string }) {
  return <Segments parts={locator.split('/')} />
}
