import { useText } from '../../i18n/use-text.ts'
import { Notice } from '../../ui/Notice.tsx'

/** Says that the change will be requested: that a policy requires it is no error. */
export function ReviewNotice() {
  const t = useText()
  return (
    <Notice icon="review" title={t('changes.need.title')}>
      {t('changes.need.message')}
    </Notice>
  )
}
