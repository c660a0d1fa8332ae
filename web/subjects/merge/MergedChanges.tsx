import { useMemo } from 'react'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { diffJson } from '#contract/json-schema/diff-json.ts'
import { pathOf, type Step } from '#contract/json-schema/list-items.ts'
import type { Conflict, Sides } from '#contract/json-schema/merge-json.ts'
import { useText } from '../../i18n/use-text.ts'
import { LeafChanges, type LeafLine } from '../../ui/value/LeafChanges.tsx'

/** What both sides changed in one value without a conflict, and who changed what. Nothing where there is nothing. */
export function MergedChanges({
  sides: { base, theirs, mine },
  conflicts,
  person,
  nameOf,
  title,
  className,
}: {
  sides: Sides
  /** What is to be decided, so that it is left out here. */
  conflicts: readonly Conflict[]
  /** Who saved theirs; null if that is not known. */
  person: string | null
  /** A place in one of the values, in words. */
  nameOf: (steps: readonly Step[], value: JsonValue | undefined) => string
  title: string
  className?: string
}) {
  const t = useText()
  const changes = useMemo(() => {
    const isOpen = (path: string) =>
      conflicts.some((one) => one.kind === 'value' && (path === one.path || path.startsWith(`${one.path}/`)))
    return ([theirs, mine] as const).map((value) =>
      diffJson(base, value).filter(({ steps }) => !isOpen(pathOf(steps))),
    )
  }, [base, theirs, mine, conflicts])
  const tags = [person ?? t('configuration.conflict.by.theirs'), t('configuration.conflict.by.mine')]
  const lines = changes.flatMap((ofSide, side) =>
    ofSide.map((change): LeafLine => ({
      id: `${side} ${change.kind} ${pathOf(change.steps)}`,
      name: nameOf(change.steps, side === 0 ? theirs : mine),
      change,
      tag: tags[side] ?? '',
    })),
  )
  if (lines.length === 0) return null
  return (
    <div className={className}>
      <p className="mb-1 text-xs text-muted">{title}</p>
      <LeafChanges lines={lines} label={title} />
    </div>
  )
}
