import { useEffect, useRef, useState, type ReactNode } from 'react'

/** The distance from the window within which a row counts as near. */
const MARGIN = '800px'

/**
 * A row of a long form. Until it is near the window, it is a single element with its title, so that the browser can
 * find it in the page and the form stays light. Once rendered, the field stays, because it may contain input.
 *
 * @param isWanted renders the row wherever it is, for example to focus its field.
 */
export function NearRow({
  title,
  isWanted,
  children,
}: {
  title: string
  isWanted: boolean
  children: ReactNode
}) {
  const row = useRef<HTMLDivElement>(null)
  const [wasNear, setWasNear] = useState(isWanted)
  if (isWanted && !wasNear) setWasNear(true)
  useEffect(() => {
    if (wasNear || row.current === null) return
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && setWasNear(true),
      { rootMargin: MARGIN },
    )
    observer.observe(row.current)
    return () => observer.disconnect()
  }, [wasNear])
  if (wasNear) return children
  return (
    <div ref={row} className="min-h-24 border-t border-line py-4 font-medium first:border-t-0 wrap-anywhere">
      {title}
    </div>
  )
}
