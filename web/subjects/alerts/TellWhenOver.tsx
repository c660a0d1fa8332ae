import { useText } from '../../i18n/use-text.ts'
import { Button } from '../../ui/Button.tsx'
import type { ButtonSize } from '../../ui/button-style.ts'
import { showToast } from '../../ui/toast.ts'
import { useFollow } from '../inbox/use-follow.ts'
import { setWatched, useIsWatched, type Watched } from './alerts.ts'

/**
 * Has the person notified when a running operation or batch is over, wherever they are then: by the browser while the console is
 * open, and of an operation also in their inbox. The inbox reports the end of their own batches by itself.
 */
export function TellWhenOver({
  kind,
  id,
  name,
  size,
}: Watched & {
  /** Of the operation or batch, where several are on the page: the button then shows only its icon. */
  name?: string
  size?: ButtonSize
}) {
  const t = useText()
  const isWatched = useIsWatched({ kind, id })
  const follow = useFollow(kind === 'operation' ? { kind, operationId: id } : null)
  const isOn = isWatched || follow.isFollowed
  const label = t(isOn ? 'shell.watch.on' : 'shell.watch.off')
  const common = {
    icon: isOn ? ('notificationsOn' as const) : ('notifications' as const),
    'aria-pressed': isOn,
    busy: follow.isPending,
    ...(size && { size }),
    onClick: () => void press(),
  }
  const press = async () => {
    // asked while the press still counts as one: the browser refuses to ask later
    const told = setWatched({ kind, id }, !isOn)
    if (!(await follow.setFollowed(!isOn)) || (await told)) return
    if (kind === 'operation') showToast({ text: t('inbox.follow.done') })
    else
      showToast({
        tone: 'error',
        text: t('Notification' in window ? 'shell.watch.denied' : 'shell.watch.unavailable'),
      })
  }
  return name === undefined ? (
    <Button {...common}>{label}</Button>
  ) : (
    <Button {...common} variant="quiet" label={t('shell.watch.of', { label, name })} />
  )
}
