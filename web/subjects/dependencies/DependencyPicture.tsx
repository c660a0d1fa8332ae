import { useLayoutEffect, useMemo } from 'react'
import type { Scope } from '#contract/protocol/scope.ts'
import { paths } from '../../addresses/paths.ts'
import { useText, type Translate } from '../../i18n/use-text.ts'
import { cx } from '../../ui/class-names.ts'
import { Icon } from '../../ui/Icon.tsx'
import { PlainLink, type LinkTarget } from '../../ui/Link.tsx'
import { useWidth } from '../../ui/use-width.ts'
import { scopeText } from '../scopes/scope-text.ts'
import { BOX_HEIGHT, BOX_WIDTH, place } from './layout.ts'
import type { Box, Picture } from './picture.ts'

/** Around the picture, in px; `p-3`. */
const PADDING = 12
/** Smaller text would not be read; what does not fit then scrolls. */
const SCALE_MIN = 0.8

/**
 * Boxes in columns, joined from what stops to what it reaches. The boxes are a list of links, in the order of the
 * columns; the lines are for the eye only, because the table has the same facts.
 */
export function DependencyPicture({
  label,
  picture,
  chosen,
  onChoose,
}: {
  label: string
  picture: Picture
  /** The box of several nodes whose installations the table lists. */
  chosen: string | null
  onChoose: (box: Box & { bundleInstallIds: string[] }) => void
}) {
  const t = useText()
  const { width, height, boxes, lines } = useMemo(() => place(picture), [picture])
  const root = boxes.find(({ box }) => box.distance === 0)
  const start = root?.x ?? 0
  const [frame, frameWidth] = useWidth<HTMLDivElement>()
  const room = frameWidth - 2 * PADDING
  const scale = frameWidth === 0 || room >= width ? 1 : Math.max(room / width, SCALE_MIN)
  const isCut = frameWidth > 0 && width * scale > room
  // where not all columns fit, what the page is about is in the middle
  useLayoutEffect(() => {
    const left = start * scale + PADDING + (BOX_WIDTH * scale - frameWidth) / 2
    frame.current?.scrollTo({ left })
  }, [frame, frameWidth, start, scale])
  return (
    <figure aria-label={label} className="rounded-lg border border-line bg-surface">
      <div
        ref={frame}
        className={cx('overflow-x-auto overscroll-x-contain p-3', isCut && 'fade-end')}
        // by keys too, although every box of it can be reached
        {...(isCut && { tabIndex: 0, role: 'group', 'aria-label': t('references.graph.scroll') })}
      >
        <div className="relative" style={{ width, height, zoom: scale }}>
          <svg width={width} height={height} aria-hidden="true" className="absolute inset-0">
            {lines.map(({ from, to, path, leadsBack, isReached }) => (
              <path
                key={`${from} ${to}`}
                d={path}
                fill="none"
                stroke="currentColor"
                strokeWidth={1.25}
                strokeDasharray={leadsBack ? '3 4' : undefined}
                className={isReached ? 'text-doubt' : 'text-control'}
              />
            ))}
          </svg>
          <ul>
            {boxes.map((placed) => (
              <li
                key={placed.box.id}
                className="absolute"
                style={{ left: placed.x, top: placed.y, width: BOX_WIDTH, height: BOX_HEIGHT }}
              >
                <BoxLink box={placed.box} isChosen={placed.box.id === chosen} onChoose={onChoose} />
              </li>
            ))}
          </ul>
        </div>
      </div>
      <figcaption className="flex flex-wrap gap-x-4 gap-y-1 border-t border-line px-4 py-2 text-xs text-muted">
        {boxes.some(({ box }) => box.distance < 0) && <Key look={NEEDED}>{t('references.graph.needed')}</Key>}
        <Key look={ROOT}>{t('references.graph.root')}</Key>
        {boxes.some(({ box }) => box.distance > 0) && (
          <Key look={REACHED}>{t('references.graph.reached')}</Key>
        )}
        {boxes.some(({ box }) => isUnknown(box)) && (
          <Key look={UNKNOWN}>{t('references.graph.unresolved')}</Key>
        )}
        {lines.some(({ leadsBack }) => leadsBack) && (
          <span className="flex items-center gap-1.5">
            <svg width="16" height="12" aria-hidden="true" className="text-control">
              <path d="M0 6h16" stroke="currentColor" strokeDasharray="3 4" />
            </svg>
            {t('references.graph.circle')}
          </span>
        )}
      </figcaption>
    </figure>
  )
}

const NEEDED = 'border-line-strong bg-sunken'
const ROOT = 'border-2 border-ink bg-surface'
const REACHED = 'border-doubt-line bg-doubt-tint'

const UNKNOWN = 'border-dashed border-fail bg-fail-tint'

/** A service that is referred to, and that does not exist: the reference does not resolve. */
const isUnknown = (box: Box): boolean => box.kind === 'service' && box.service.title === null

const lookOf = (box: Box): string => (isUnknown(box) ? UNKNOWN : lookByDistance(box))
const lookByDistance = ({ distance }: Box) => (distance < 0 ? NEEDED : distance === 0 ? ROOT : REACHED)

function Key({ look, children }: { look: string; children: string }) {
  return (
    <span className="flex items-center gap-1.5">
      <span aria-hidden="true" className={cx('h-3 w-4 rounded-sm border', look)} />
      {children}
    </span>
  )
}

function BoxLink({
  box,
  isChosen,
  onChoose,
}: {
  box: Box
  isChosen: boolean
  onChoose: (box: Box & { bundleInstallIds: string[] }) => void
}) {
  const t = useText()
  const { title, detail } = boxTexts(box, t)
  const className = cx(
    'flex size-full items-center gap-2 rounded-md border px-2.5 text-left',
    lookOf(box),
    // a stack
    'bundleInstallIds' in box &&
      'shadow-[3px_3px_0_-1px_var(--surface),3px_3px_0_0_var(--control),6px_6px_0_-1px_var(--surface),6px_6px_0_0_var(--control)]',
    isChosen && 'outline-2 outline-ink',
  )
  const content = (
    <>
      <Icon
        name={
          isUnknown(box)
            ? 'warning'
            : box.kind === 'service' || box.kind === 'services'
              ? 'services'
              : 'installations'
        }
        size={16}
        className={cx('shrink-0', isUnknown(box) ? 'text-fail' : 'text-muted')}
      />
      <span className="min-w-0">
        <span className="block truncate font-medium" title={title}>
          {title}
        </span>
        {box.kind === 'installation' ? (
          <ScopeLine scope={box.installation.installation} />
        ) : (
          <span className="block truncate text-xs text-muted" title={detail}>
            {detail}
          </span>
        )}
      </span>
      <span className="sr-only">
        {t(
          box.distance < 0
            ? 'references.graph.needed'
            : box.distance === 0
              ? 'references.graph.root'
              : 'references.graph.reached',
        )}
      </span>
    </>
  )
  if ('bundleInstallIds' in box)
    return box.distance < 0 ? (
      <div className={className}>{content}</div>
    ) : (
      <button
        type="button"
        aria-pressed={isChosen}
        className={cx(className, 'hover:border-ink')}
        onClick={() => onChoose(box)}
      >
        {content}
      </button>
    )
  const to = targetOf(box)
  return box.distance === 0 || to === null ? (
    <div aria-current={box.distance === 0 || undefined} className={className}>
      {content}
    </div>
  ) : (
    <PlainLink to={to} className={cx(className, 'hover:border-ink')}>
      {content}
    </PlainLink>
  )
}

/** A scope on one line; its last part, by which scopes differ most, is always there. */
function ScopeLine({ scope }: { scope: Scope }) {
  return (
    <span className="mono flex text-xs text-muted" title={scopeText(scope)}>
      <span className="sr-only">{scopeText(scope)}</span>
      <span aria-hidden="true" className="truncate">
        {scope.environmentKey}/{scope.applicationRuntimeId}
      </span>
      <span aria-hidden="true" className="shrink-0">
        /{scope.workspaceId}
      </span>
    </span>
  )
}

/** The page of a single node; null for a service that is not registered. */
function targetOf(box: Extract<Box, { kind: 'service' | 'installation' }>): LinkTarget | null {
  if (box.kind === 'service') return box.service.title === null ? null : paths.service(box.service.serviceId)
  return paths.installation(box.installation.installation.bundleInstallId, { tab: 'references' })
}

function boxTexts(box: Box, t: Translate): { title: string; detail: string } {
  switch (box.kind) {
    case 'service':
      return {
        title: box.service.title ?? box.service.serviceId,
        detail:
          box.service.title === null
            ? t('references.graph.unknown')
            : box.moduleName === null
              ? box.service.serviceId
              : t('references.graph.ofModule', { service: box.service.serviceId, module: box.moduleName }),
      }
    case 'installation':
      return { title: box.installation.title, detail: '' }
    case 'services':
      return {
        title:
          box.bundleTitle === null
            ? t('references.graph.otherServices')
            : t('references.graph.servicesOf', { bundle: box.bundleTitle }),
        detail: t('references.graph.services', { n: box.count }),
      }
    case 'installations':
      return {
        title: box.bundleTitle ?? t('references.graph.otherBundles'),
        detail: t('references.graph.installations', { n: box.count }),
      }
  }
}
