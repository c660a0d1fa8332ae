import { useRef, useState, type ReactNode } from 'react'
import { joinClauses, joinList, joinSentences } from '../../../i18n/punctuation.ts'
import { useText, type Translate } from '../../../i18n/use-text.ts'
import { insertedText, useBeforeInput } from '../../../ui/before-input.ts'
import { Button } from '../../../ui/Button.tsx'
import { FreeTextInput } from '../../../ui/FreeTextInput.tsx'
import { countLines, lineEndsOf } from '../../../ui/line-ends.ts'
import type { ControlWiring } from '../../../ui/Field.tsx'

const LINE_BREAK = /[\r\n]/
/** Stands for a text of several lines, which a password field cannot have. */
const MASK = '•'.repeat(12)

/**
 * A secret text: hidden while it is typed or pasted, unless the person asks to see it. The browser neither fills it in nor
 * remembers it. Hidden text of several lines is one whole: a paste replaces it, and Delete removes it. A text area that
 * only looks masked would be read out by a screen reader. How much it holds is below, because nobody sees it.
 */
export function SecretInput({
  value,
  onText,
  wiring,
  children,
}: {
  value: string
  onText: (text: string) => void
  wiring: ControlWiring
  /** Beside the field. */
  children: ReactNode
}) {
  const t = useText()
  const [isShown, setIsShown] = useState(false)
  const isLines = LINE_BREAK.test(value)
  const facts = joinSentences(t, [factsOf(value, t), isLines && !isShown && t('forms.secret.whole')])
  const described = {
    ...wiring,
    'aria-describedby':
      [wiring['aria-describedby'], facts !== '' && `${wiring.id}-facts`].filter(Boolean).join(' ') ||
      undefined,
  }
  return (
    <div>
      <div className="flex flex-wrap items-start gap-2">
        {isShown ? (
          <FreeTextInput
            {...described}
            code
            autoCapitalize="none"
            autoCorrect="off"
            value={value}
            onText={onText}
            className="min-w-40"
          />
        ) : (
          <HiddenInput {...described} isLines={isLines} value={value} onText={onText} />
        )}
        <Button
          of={wiring['aria-labelledby'] ?? wiring.id}
          aria-controls={wiring.id}
          onClick={() => setIsShown(!isShown)}
        >
          {t(isShown ? 'forms.secret.hide' : 'forms.secret.show')}
        </Button>
        {children}
      </div>
      {facts !== '' && (
        <p
          id={`${wiring.id}-facts`}
          // of one line, every key would be announced
          aria-live={isLines ? 'polite' : 'off'}
          className="mt-1 text-xs text-muted"
        >
          {facts}
        </p>
      )}
    </div>
  )
}

function HiddenInput({
  value,
  onText,
  isLines,
  ...wiring
}: ControlWiring & { value: string; onText: (text: string) => void; isLines: boolean }) {
  const t = useText()
  const input = useRef<HTMLInputElement>(null)
  // the browser cannot undo what it did not do
  const undo = useRef<{ before: string; after: string }[]>([])
  const change = (after: string) => {
    undo.current.push({ before: value, after })
    onText(after)
  }
  useBeforeInput(input, (event, { selectionStart, selectionEnd }) => {
    const inserted = insertedText(event)
    const hasBreak = inserted !== null && LINE_BREAK.test(inserted)
    if (!isLines && !hasBreak) return
    event.preventDefault()
    if (!isLines)
      return change(value.slice(0, selectionStart ?? 0) + inserted + value.slice(selectionEnd ?? 0))
    const isTyped = event.inputType === 'insertText' || event.inputType === 'insertCompositionText'
    const isSelected = selectionStart === 0 && selectionEnd === MASK.length
    if (event.inputType.startsWith('delete')) change('')
    // a letter typed between the dots would have no place in the text
    else if (inserted !== null && (!isTyped || isSelected)) change(inserted)
  })
  return (
    <input
      {...wiring}
      ref={input}
      type="password"
      autoComplete="new-password"
      spellCheck={false}
      placeholder={t('forms.secret.new')}
      value={isLines ? MASK : value}
      onChange={(event) => onText(event.target.value)}
      onKeyDown={(event) => {
        const isUndo = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === 'z'
        const last = undo.current.at(-1)
        if (!isUndo || last?.after !== value) return
        event.preventDefault()
        undo.current.pop()
        onText(last.before)
      }}
      className="control mono min-w-40 flex-1"
    />
  )
}

/** How much a secret holds, and what is easily pasted with it by mistake; empty for an empty text. */
function factsOf(text: string, t: Translate): string {
  if (text === '') return ''
  const lines = countLines(text)
  const isLines = LINE_BREAK.test(text)
  const ends = lineEndsOf(text)
  const facts = joinClauses(t, [
    isLines && t('forms.secret.lines', { n: lines }),
    t('forms.secret.characters', { n: [...text].length }),
    ends.some((end) => end !== 'LF') && t('forms.secret.lineEnds', { ends: joinList(t, ends) }),
    /^\s/.test(text) && t('forms.secret.startsWithSpace'),
    /[\r\n]$/.test(text)
      ? t('forms.secret.endsWithBreak')
      : /\s$/.test(text) && t('forms.secret.endsWithSpace'),
  ])
  return t('forms.secret.facts', { facts })
}
