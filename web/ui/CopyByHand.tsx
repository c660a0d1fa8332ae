import { useRef } from 'react'
import { useText } from '../i18n/use-text.ts'
import { Button } from './Button.tsx'
import { Dialog } from './Dialog.tsx'
import { Keys } from './Keys.tsx'
import { TextArea } from './TextInput.tsx'

/** Shows a text that the browser refuses to copy, selected, so that the person can copy it. */
export function CopyByHand({ text, onClose }: { text: string; onClose: () => void }) {
  const t = useText()
  const field = useRef<HTMLTextAreaElement>(null)
  return (
    <Dialog
      open
      onClose={onClose}
      size="sm"
      title={t('common.copyByHand.title')}
      description={t('common.copyByHand.message')}
      initialFocus={field}
      footer={<Button onClick={onClose}>{t('common.close')}</Button>}
    >
      <p className="mb-2 flex items-center gap-2">
        {t('common.copyByHand.press')} <Keys keys={['mod', 'C']} />
      </p>
      <TextArea
        ref={field}
        aria-label={t('common.copyByHand.text')}
        readOnly
        rows={Math.min(8, text.split('\n').length + 1)}
        value={text}
        className="mono"
        onFocus={({ currentTarget }) => currentTarget.select()}
      />
    </Dialog>
  )
}
