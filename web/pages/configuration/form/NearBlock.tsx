import { Fragment, useEffect, useRef, useState, type ReactNode } from 'react'
import { whenNearWindow } from '../../../ui/when-near.ts'

/** A row of a form with a title and a field. */
export interface BlockRow {
  key: string
  title: string
  field: ReactNode
}

/**
 * Some rows of a long form. Until the block is near the window, each row is a single element with its title, so that the
 * browser can find it in the page and the form stays light. Once rendered, the fields stay, because they may contain
 * input. A key press costs less than in one list of all rows: React visits the siblings of whatever it renders.
 *
 * @param isWanted renders the fields wherever they are, for example to focus one of them.
 */
export function NearBlock({ rows, isWanted }: { rows: readonly BlockRow[]; isWanted: boolean }) {
  const block = useRef<HTMLDivElement>(null)
  const [wasNear, setWasNear] = useState(isWanted)
  if (isWanted && !wasNear) setWasNear(true)
  useEffect(() => {
    if (wasNear || block.current === null) return
    return whenNearWindow(block.current, () => setWasNear(true))
  }, [wasNear])
  return (
    <div ref={block} className="border-t border-line first:border-t-0">
      {rows.map(({ key, title, field }) =>
        wasNear ? (
          <Fragment key={key}>{field}</Fragment>
        ) : (
          <div
            key={key}
            className="min-h-24 border-t border-line py-4 font-medium first:border-t-0 wrap-anywhere"
          >
            {title}
          </div>
        ),
      )}
    </div>
  )
}
