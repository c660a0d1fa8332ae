import { useText } from '../../i18n/use-text.ts'
import { Button } from '../../ui/Button.tsx'
import type { ButtonSize } from '../../ui/button-style.ts'
import { showToast } from '../../ui/toast.ts'
import { setWatched, useIsWatched, type Watched } from './alerts.ts'

/** Has the browser tell the person when a running operation or batch is over, wherever they are then. */
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
  const isOn = useIsWatched({ kind, id })
  const label = t(isOn ? 'shell.watch.on' : 'shell.watch.off')
  const common = {
    icon: isOn ? ('notificationsOn' as const) : ('notifications' as const),
    'aria-pressed': isOn,
    ...(size && { size }),
    onClick: () => void press(),
  }
  const press = async () => {
    const isDone = await setWatched({ kind, id }, !isOn)
    if (!isDone)
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
