import { useEffect, useState, useRef } from 'react'
import { useText } from '../i18n/use-text.ts'
import { Button } from './Button.tsx'
import { copyText } from './copy-text.ts'
import { Dialog } from './Dialog.tsx'
import { Keys } from './Keys.tsx'
import { TextArea } from './TextInput.tsx'

/** Copies a text and confirms it in place. Without `children`, it is only an icon. */
export function CopyButton({
  text,
  label,
  children,
  size = 'sm',
  onCopied,
}: {
  text: string | (() => string)
  label?: string
  /** Called once the text is in the clipboard. */
  onCopied?: (() => void) | undefined
  children?: string
  /** Of one with words. */
  size?: 'sm' | 'md'
}) {
  const t = useText()
  const [result, setResult] = useState<'copied' | 'copyFailed'>()
  const [byHand, setByHand] = useState<string>()
  useEffect(() => {
    if (!result) return
    const timer = setTimeout(() => setResult(undefined), 1600)
    return () => clearTimeout(timer)
  }, [result])

  const copy = async () => {
    const plain = typeof text === 'string' ? text : text()
    const isCopied = await copyText(plain)
    setResult(isCopied ? 'copied' : 'copyFailed')
    if (isCopied) onCopied?.()
    else setByHand(plain)
  }
  const icon = result === 'copied' ? 'check' : result === 'copyFailed' ? 'warning' : 'copy'
  const said = result && t(`common.${result}`)
  const name = said ?? label ?? t('common.copy')
  return (
    <>
      {children ? (
        <Button size={size} icon={icon} onClick={copy}>
          {said ?? children}
        </Button>
      ) : (
        <Button size="sm" variant="quiet" icon={icon} label={name} onClick={copy} />
      )}
      <output className="sr-only">{said}</output>
      {byHand !== undefined && <CopyByHand text={byHand} onClose={() => setByHand(undefined)} />}
    </>
  )
}

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
