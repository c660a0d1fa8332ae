import { CodeBlock } from '../../../ui/values/CodeBlock.tsx'
import { JsonTree } from '../../../ui/values/JsonTree.tsx'

export type PayloadView = 'tree' | 'raw'

/** A request or an answer, masked, to walk through or to copy. */
export function Payload({
  title,
  note,
  value,
  view,
  absent = '',
}: {
  title: string
  note: string
  value: unknown
  view: PayloadView
  /** Said where there is none. */
  absent?: string
}) {
  return (
    <div className="min-w-0">
      <h3 className="font-semibold">{title}</h3>
      <p className="mb-2 min-h-4 text-xs text-faint">{note}</p>
      {value === null || value === undefined ? (
        <p className="rounded-md border border-line bg-sunken px-3 py-2 text-muted">{absent}</p>
      ) : view === 'tree' ? (
        <JsonTree value={value} label={title} openDepth={2} />
      ) : (
        <CodeBlock text={JSON.stringify(value, null, 2)} label={title} />
      )}
    </div>
  )
}
