import { useEffect, useEffectEvent, useRef } from 'react'
import { checkValue } from '#contract/protocol/json-schema.ts'
import type { JsonValue } from '#contract/protocol/json.ts'
import { json, jsonParseLinter } from '@codemirror/lang-json'
import { linter, lintGutter } from '@codemirror/lint'
import type { Diagnostic } from '@codemirror/lint'
import { Compartment, EditorState } from '@codemirror/state'
import { basicSetup, EditorView } from 'codemirror'
import { useText } from '../i18n/use-text.ts'
import type { FieldWiring } from '../ui/Field.tsx'
import { findJsonPlace } from './json-place.ts'

/**
 * A JSON editor with syntax and schema problems in place. It lives in a shadow root: CodeMirror brings its styles at run
 * time, which the page's Content-Security-Policy forbids, and adopted style sheets of a shadow root do not need.
 */
export function JsonEditor({
  text,
  schema,
  readOnly,
  onText,
  wiring,
  height = 'auto',
}: {
  text: string
  schema: JsonValue
  readOnly: boolean
  onText: (text: string) => void
  wiring?: FieldWiring
  height?: 'auto' | 'tall'
}) {
  const t = useText()
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView | null>(null)
  const locked = useRef(new Compartment())
  const label = t('forms.json.label')
  const tell = useEffectEvent(onText)
  const problems = useEffectEvent((editor: EditorView) => problemsIn(editor, schema))
  const initial = useEffectEvent(() => ({ text, readOnly }))

  useEffect(() => {
    if (host.current === null) return
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open', delegatesFocus: true })
    const start = initial()
    const editor = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: start.text,
        extensions: [
          basicSetup,
          json(),
          lintGutter(),
          linter((current) => problems(current), { delay: 200 }),
          locked.current.of(EditorState.readOnly.of(start.readOnly)),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) tell(update.state.doc.toString())
          }),
          LOOK,
        ],
      }),
    })
    view.current = editor
    return () => {
      view.current = null
      editor.destroy()
    }
  }, [label])

  useEffect(() => {
    view.current?.dispatch({ effects: locked.current.reconfigure(EditorState.readOnly.of(readOnly)) })
  }, [readOnly])

  useEffect(() => {
    const editor = view.current
    if (editor === null || editor.hasFocus || editor.state.doc.toString() === text) return
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text } })
  }, [text])

  return (
    <div
      ref={host}
      id={wiring?.id}
      className={`overflow-auto rounded-md border border-control bg-surface ${height === 'tall' ? 'h-[60vh]' : 'max-h-96 min-h-16'}`}
    />
  )
}

function problemsIn(editor: EditorView, schema: JsonValue): Diagnostic[] {
  const text = editor.state.doc.toString()
  if (text.trim() === '') return []
  const syntax = jsonParseLinter()(editor)
  if (syntax.length > 0) return syntax
  return checkValue(schema, JSON.parse(text) as JsonValue).map(({ path, message }) => ({
    ...findJsonPlace(editor.state, path),
    severity: 'error' as const,
    message,
  }))
}

const LOOK = EditorView.theme({
  '&': { fontSize: '12px', color: 'var(--ink)', backgroundColor: 'transparent', height: '100%' },
  '&.cm-focused': { outline: 'none' },
  '.cm-content': { fontFamily: 'var(--font-mono, monospace)', caretColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'var(--sunken)', color: 'var(--faint)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--hover)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'var(--accent-tint)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    color: 'var(--ink)',
    border: '1px solid var(--line-strong)',
  },
})
