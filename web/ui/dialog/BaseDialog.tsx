import { CSPProvider } from '@base-ui/react/csp-provider'
import { Dialog } from '@base-ui/react/dialog'
import { useRef } from 'react'
import { useText } from '../../i18n/use-text.ts'
import { Button } from '../Button.tsx'
import { cx } from '../class-names.ts'
import type { DialogProps } from './Dialog.tsx'
import { useIsOnTop } from './stack.ts'

const WIDTH = { sm: 'max-w-md', md: 'max-w-xl', lg: 'max-w-4xl' }

export function BaseDialog({
  open,
  onClose,
  title,
  description,
  children,
  footer,
  size = 'md',
  busy = false,
  initialFocus,
}: DialogProps) {
  const t = useText()
  const isOnTop = useIsOnTop()
  const popup = useRef<HTMLDivElement>(null)
  // where the person has to type, else the dialog itself, and never the cross
  const firstInput = () =>
    popup.current?.querySelector<HTMLElement>('input, textarea, select') ?? popup.current
  return (
    <CSPProvider disableStyleElements>
      <Dialog.Root
        open={open}
        modal={isOnTop}
        disablePointerDismissal={!isOnTop}
        onOpenChange={(next) => !next && isOnTop && !busy && onClose()}
      >
        <Dialog.Portal>
          <Dialog.Backdrop className="fixed inset-0 z-40 bg-scrim" />
          <Dialog.Viewport className="fixed inset-0 z-40 flex items-end justify-center sm:items-center sm:p-4">
            <Dialog.Popup
              ref={popup}
              initialFocus={initialFocus ?? firstInput}
              className={cx(
                'flex max-h-[92dvh] w-full animate-appear flex-col rounded-t-lg bg-raised shadow-3 outline-none sm:max-h-[85dvh] sm:rounded-lg',
                WIDTH[size],
              )}
            >
              <div className="flex items-start gap-4 px-5 pt-4 pb-3">
                <div className="min-w-0 flex-1">
                  <Dialog.Title className="text-lg font-semibold tracking-tight wrap-anywhere">
                    {title}
                  </Dialog.Title>
                  {description && (
                    <Dialog.Description className="mt-0.5 text-muted">{description}</Dialog.Description>
                  )}
                </div>
                <span className="-mt-0.5 -mr-2">
                  <Button
                    variant="quiet"
                    icon="close"
                    label={t('common.close')}
                    onClick={() => !busy && onClose()}
                  />
                </span>
              </div>
              {children && <div className="min-h-0 flex-1 overflow-y-auto px-5 pt-1 pb-5">{children}</div>}
              {footer && (
                <div className="flex flex-wrap justify-end gap-2 rounded-b-lg border-t border-line bg-sunken px-5 py-3">
                  {footer}
                </div>
              )}
            </Dialog.Popup>
          </Dialog.Viewport>
        </Dialog.Portal>
      </Dialog.Root>
    </CSPProvider>
  )
}
