import { useState, type ReactNode } from 'react'
import { useText } from '../../i18n/use-text.ts'
import { useIsPrinting } from '../printing.ts'
import { Button } from '../Button.tsx'
import { cx } from '../class-names.ts'
import { CopyButton } from '../CopyButton.tsx'
import { Icon } from '../Icon.tsx'
import { MarkedText } from './MarkedText.tsx'

const STEP_REM = 1.125
/** More children are shown on demand: a response may contain tens of thousands. */
const PAGE = 100
/** So many are printed. */
const PRINTED = 2_000

/** A read-only JSON document that can be folded and copied. It never renders more than a person can read. */
export function JsonTree({
  value,
  label,
  openDepth = 2,
  className,
}: {
  value: unknown
  label: string
  /** The depth to which it is initially expanded. */
  openDepth?: number
  className?: string | undefined
}) {
  const t = useText()
  // expanding or collapsing everything remounts the tree with another depth
  const [depth, setDepth] = useState({ at: openDepth, turn: 0 })
  const turnTo = (at: number) => setDepth(({ turn }) => ({ at, turn: turn + 1 }))
  const foldable = isContainer(value) && entriesOf(value).length > 0
  return (
    <div className={cx('relative rounded-md border border-line bg-sunken', className)}>
      <div className="absolute top-1 right-1 flex rounded-md bg-sunken">
        {foldable && (
          <>
            <Button
              size="sm"
              variant="quiet"
              icon="plus"
              label={t('common.json.expandAll')}
              onClick={() => turnTo(6)}
            />
            <Button
              size="sm"
              variant="quiet"
              icon="minus"
              label={t('common.json.collapseAll')}
              onClick={() => turnTo(1)}
            />
          </>
        )}
        <CopyButton text={() => JSON.stringify(value, null, 2)} />
      </div>
      <div
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a fieldset is for inputs
        role="group"
        aria-label={label}
        className="mono max-h-[28rem] overflow-auto pt-8 pr-2 pb-2 pl-2 sm:pt-2 sm:pr-24 text-xs/6 wrap-anywhere"
      >
        <Node key={depth.turn} name={null} value={value} depth={0} openDepth={depth.at} comma={false} />
      </div>
    </div>
  )
}

type NodeProps = { name: string | null; value: unknown; depth: number; openDepth: number; comma: boolean }

function Node(props: NodeProps) {
  return isContainer(props.value) && entriesOf(props.value).length > 0 ? (
    <Container {...props} value={props.value} />
  ) : (
    <Line depth={props.depth}>
      <Name name={props.name} />
      <Scalar value={props.value} />
      {props.comma && ','}
    </Line>
  )
}

function Container({ name, value, depth, openDepth, comma }: NodeProps & { value: object }) {
  const t = useText()
  const [isOpen, setOpen] = useState(depth < openDepth)
  const [shown, setLimit] = useState(PAGE)
  const isPrinting = useIsPrinting()
  const open = isOpen || isPrinting
  const limit = isPrinting ? Math.max(shown, PRINTED) : shown
  const entries = entriesOf(value)
  const list = Array.isArray(value)
  const [start, end] = list ? ['[', ']'] : ['{', '}']
  const size = { n: entries.length }
  return (
    <>
      <Line depth={depth}>
        <button
          type="button"
          aria-expanded={open}
          aria-label={t(open ? 'common.json.collapse' : 'common.json.expand', { name: name ?? 'JSON' })}
          onClick={() => setOpen(!open)}
          className="absolute -left-1 inline-flex size-6 items-center justify-center rounded-sm text-muted hover:bg-selected hover:text-ink"
          style={{ marginLeft: `${depth * STEP_REM}rem` }}
        >
          <Icon name={open ? 'chevronDown' : 'chevronRight'} size={12} />
        </button>
        <Name name={name} />
        {start}
        {!open && (
          <>
            <span className="mx-1 font-sans text-faint">
              {list ? t('common.value.items', size) : t('common.value.properties', size)}
            </span>
            {end}
            {comma && ','}
          </>
        )}
      </Line>
      {open && (
        <>
          {entries.slice(0, limit).map(([key, child], index) => (
            <Node
              key={key}
              name={list ? null : key}
              value={child}
              depth={depth + 1}
              openDepth={openDepth}
              comma={index < entries.length - 1}
            />
          ))}
          {entries.length > limit && (
            <Line depth={depth + 1}>
              <button
                type="button"
                className="rounded-sm font-sans font-medium text-accent hover:underline"
                onClick={() => setLimit(limit + PAGE * 10)}
              >
                {t('common.json.rest', { n: entries.length - limit })}
              </button>
            </Line>
          )}
          <Line depth={depth}>
            {end}
            {comma && ','}
          </Line>
        </>
      )}
    </>
  )
}

function Line({ depth, children }: { depth: number; children: ReactNode }) {
  return (
    <div className="relative" style={{ paddingLeft: `${depth * STEP_REM + 1.25}rem` }}>
      {children}
    </div>
  )
}

function Name({ name }: { name: string | null }) {
  if (name === null) return null
  return (
    <>
      <span className="text-moved">
        <MarkedText text={JSON.stringify(name)} isJson />
      </span>
      <span className="text-faint">: </span>
    </>
  )
}

function Scalar({ value }: { value: unknown }) {
  if (typeof value === 'string')
    return (
      <span className="text-ok">
        <MarkedText text={JSON.stringify(value)} isJson />
      </span>
    )
  if (typeof value === 'number' || typeof value === 'boolean')
    return <span className="text-live">{String(value)}</span>
  if (value === null || value === undefined) return <span className="text-faint">null</span>
  return <span>{Array.isArray(value) ? '[]' : '{}'}</span>
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null

function entriesOf(value: object): [string, unknown][] {
  return Object.entries(value)
}
