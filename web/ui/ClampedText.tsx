import { useLayoutEffect, useRef, useState, type ReactNode } from 'react'
import { useText } from '../i18n/use-text.ts'
import { Button } from './Button.tsx'
import { cx } from './class-names.ts'

/** A heading or a paragraph of at most three lines; a button below shows the rest, if any. Prints in full. */
export function ClampedText({
  as: Tag,
  className,
  children,
}: {
  as: 'h2' | 'p'
  className?: string
  children: ReactNode
}) {
  const t = useText()
  const text = useRef<HTMLHeadingElement & HTMLParagraphElement>(null)
  const [isOpen, setOpen] = useState(false)
  const [isCut, setCut] = useState(false)
  useLayoutEffect(() => {
    const element = text.current
    if (element === null || isOpen) return
    // the width decides how many lines there are
    const observer = new ResizeObserver(() => setCut(element.scrollHeight > element.clientHeight + 1))
    observer.observe(element)
    return () => observer.disconnect()
  }, [isOpen])
  return (
    <>
      {/* the button shows the rest, so titleCutTexts does not */}
      <Tag ref={text} title="" className={cx(className, !isOpen && 'line-clamp-3 print:line-clamp-none')}>
        {children}
      </Tag>
      {isCut && (
        <Button size="sm" variant="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {t(isOpen ? 'common.text.less' : 'common.text.all')}
        </Button>
      )}
    </>
  )
}
