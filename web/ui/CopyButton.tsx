import { useEffect, useState } from 'react'
import { useText } from '../i18n/use-text.ts'
import { Button } from './Button.tsx'

/** Copies a text and confirms it in place. Without `children`, it is only an icon. */
export function CopyButton({
  text,
  label,
  children,
}: {
  text: string | (() => string)
  label?: string
  children?: string
}) {
  const t = useText()
  const [result, setResult] = useState<'copied' | 'copyFailed'>()
  useEffect(() => {
    if (!result) return
    const timer = setTimeout(() => setResult(undefined), 1600)
    return () => clearTimeout(timer)
  }, [result])

  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === 'string' ? text : text())
      setResult('copied')
    } catch {
      setResult('copyFailed')
    }
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
    </>
  )
}
