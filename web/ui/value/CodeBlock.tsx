import { CopyButton } from '../CopyButton.tsx'
import { cx } from '../class-names.ts'

/** Text to read and copy: a secret that is shown once, a command, a raw message. */
export function CodeBlock({
  text,
  label,
  wrap = true,
  className,
  onCopied,
}: {
  text: string
  label: string
  wrap?: boolean
  className?: string | undefined
  onCopied?: () => void
}) {
  return (
    <div className={cx('relative rounded-md border border-line bg-sunken', className)}>
      <pre
        aria-label={label}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrollable element must be reachable by keyboard
        tabIndex={0}
        className={cx(
          'max-h-96 overflow-auto py-2 pr-10 pl-3 text-xs/5',
          wrap && 'wrap-anywhere whitespace-pre-wrap',
        )}
      >
        {text}
      </pre>
      <div className="absolute top-1 right-1 rounded-md bg-sunken">
        <CopyButton text={text} onCopied={onCopied} />
      </div>
    </div>
  )
}
