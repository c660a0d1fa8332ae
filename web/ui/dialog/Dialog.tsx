import { Suspense, type ReactNode, type RefObject } from 'react'
import { lazyPart } from '../../fetch-part.ts'

export type DialogProps = {
  open: boolean
  /** Asked for by Escape, by a press outside, by the cross. Not called while `busy`. */
  onClose: () => void
  title: ReactNode
  description?: ReactNode
  children?: ReactNode
  /** The buttons, the one that does it last. */
  footer?: ReactNode
  size?: 'sm' | 'md' | 'lg'
  /** What is under way cannot be left by accident. */
  busy?: boolean
  /** Where the focus goes at first; else to the first input. */
  initialFocus?: RefObject<HTMLElement | null>
}

const BaseDialog = lazyPart(async () => ({ default: (await import('./BaseDialog.tsx')).BaseDialog }))

/** A modal dialog. Its machinery is loaded when the first one opens. */
export function Dialog(props: DialogProps) {
  if (!props.open) return null
  return (
    <Suspense>
      <BaseDialog {...props} />
    </Suspense>
  )
}
