import { useEffect, useState } from 'react'
import { useText } from '../i18n/use-text.ts'
import { Button } from './Button.tsx'
import { CopyByHand } from './CopyByHand.tsx'
import { copyText } from './copy-text.ts'

/** Copies a text and confirms it in place. Without `children`, it is only an icon. */
export function CopyButton({
  text,
  label,
  children,
  onCopied,
}: {
  text: string | (() => string)
  label?: string
  /** Called once the text is in the clipboard. */
  onCopied?: (() => void) | undefined
  children?: string
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
        <Button size="sm" icon={icon} onClick={copy}>
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
