import { Suspense, useState } from 'react'
import { checkValue } from '#contract/json-schema/json-schema.ts'
import { valueSchema } from '#contract/protocol/property-kinds.ts'
import { LazyJsonEditor } from '../../json/lazy-json-editor.ts'
import { useText } from '../../../i18n/use-text.ts'
import { Button } from '../../../ui/Button.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import type { ControlProps } from './control-props.ts'
import { groupProps, nameOf } from './control-props.ts'
import { useEmptyText } from './empty-text.ts'
import { TextButton } from './TextButton.tsx'
import { schemaOf } from '../control-kind.ts'
import { dataValue, setData } from '../property-edit.ts'
import { parseJson } from '../../json/parse-json.ts'
import { translateError } from '../translate-error.ts'

/**
 * A JSON document with schema errors in place, for values that no simple control can edit without loss. The editor is
 * loaded on demand, because a form may contain dozens of documents.
 */
export function JsonControl({
  definition,
  value,
  unfinished,
  onEdit,
  wiring,
  readOnly,
  problems,
  isFirstOpen = false,
}: Omit<ControlProps, 'Inner'> & {
  /** Opens the editor at once, with the focus. */
  isFirstOpen?: boolean
}) {
  const t = useText()
  const notSet = useEmptyText()
  const [isOpen, setIsOpen] = useState(unfinished !== null || isFirstOpen)
  const [hasOpened, setHasOpened] = useState(isFirstOpen)
  const data = dataValue(value)
  const text = unfinished ?? (data === undefined ? '' : JSON.stringify(data, null, 2))
  if (!isOpen || readOnly) {
    return (
      <div
        {...groupProps(wiring)}
        className="flex items-start gap-2 rounded-md border border-line-strong bg-sunken py-1.5 pr-1.5 pl-2.5"
      >
        {text === '' ? (
          <span className="min-w-0 flex-1 text-faint italic">{notSet}</span>
        ) : (
          <Document text={text} of={nameOf(wiring)} />
        )}
        {!readOnly && (
          <Button
            size="sm"
            icon="edit"
            of={nameOf(wiring)}
            onClick={() => {
              setIsOpen(true)
              setHasOpened(true)
            }}
          >
            {t('forms.json.edit')}
          </Button>
        )}
      </div>
    )
  }
  return (
    <Suspense fallback={<Skeleton className="h-24 w-full" />}>
      <LazyJsonEditor
        wiring={wiring}
        label={t('forms.json.of', { property: labelOf(definition, t('forms.json.label')) })}
        text={text}
        check={(document) =>
          checkValue(valueSchema(definition), document).map((problem) => ({
            ...problem,
            message: translateError(problem, t),
          }))
        }
        readOnly={readOnly}
        // the button that had the focus is gone
        takesFocus={hasOpened}
        onText={(next) => {
          // an item or entry is removed by its own button
          const isKept = problems !== undefined && definition.required === true
          if (next.trim() === '' && !isKept) return onEdit({ kind: 'removed' })
          const parsed = parseJson(next)
          onEdit(parsed === undefined ? { kind: 'unfinished', text: next } : setData(definition, parsed))
        }}
      />
    </Suspense>
  )
}

/** A long document shows its beginning, and the rest on demand. */
const FOLDED = { from: 12, to: 6 }

function Document({ text, of }: { text: string; of: string }) {
  const t = useText()
  const [isOpen, setIsOpen] = useState(false)
  const lines = text.split('\n')
  const isLong = lines.length > FOLDED.from
  return (
    <div className="min-w-0 flex-1">
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrollable element must be reachable by keyboard */}
      <pre tabIndex={0} className="max-h-96 overflow-auto rounded-sm text-xs/5">
        {isLong && !isOpen ? [...lines.slice(0, FOLDED.to), '…'].join('\n') : text}
      </pre>
      {isLong && (
        <TextButton of={of} onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? t('forms.json.showLess') : t('forms.json.showAll', { n: lines.length })}
        </TextButton>
      )}
    </div>
  )
}

function labelOf(definition: ControlProps['definition'], otherwise: string): string {
  const { title } = schemaOf(definition)
  return typeof title === 'string' ? title : otherwise
}
