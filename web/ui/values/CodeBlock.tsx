import { CopyButton } from '../CopyButton.tsx'
import { cx } from '../class-names.ts'

/** Text to read and to copy: a secret that is shown once, a command, a message as it came. */
export function CodeBlock({
  text,
  label,
  wrap = true,
  className,
}: {
  text: string
  label: string
  wrap?: boolean
  className?: string | undefined
}) {
  return (
    <div className={cx('relative rounded-md border border-line bg-sunken', className)}>
      <pre
        aria-label={label}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be in reach of the keyboard
        tabIndex={0}
        className={cx(
          'max-h-96 overflow-auto py-2 pr-10 pl-3 text-xs/5',
          wrap && 'wrap-anywhere whitespace-pre-wrap',
        )}
      >
        {text}
      </pre>
      <div className="absolute top-1 right-1 rounded-md bg-sunken">
        <CopyButton text={text} />
      </div>
    </div>
  )
}
