import { useEffect, useEffectEvent, useImperativeHandle, useLayoutEffect, useRef, type Ref } from 'react'
import type { Problem } from '#contract/json-schema/json-schema.ts'
import { deepEqual } from '#contract/json-schema/json.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import type { StrictJsonLimits } from '#contract/protocol/limits.ts'
import { json } from '@codemirror/lang-json'
import { defaultHighlightStyle, HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { linter, lintGutter } from '@codemirror/lint'
import type { Diagnostic } from '@codemirror/lint'
import { Annotation, Compartment, EditorState, StateEffect, StateField, Transaction } from '@codemirror/state'
import type { Extension } from '@codemirror/state'
import { Decoration, type DecorationSet } from '@codemirror/view'
import { basicSetup, EditorView } from 'codemirror'
import { useText, type Translate } from '../../i18n/use-text.ts'
import type { ControlWiring } from '../../ui/Field.tsx'
import { editorPhrases } from './editor-phrases.ts'
import { findJsonPlaces } from './json-syntax.ts'
import { jsonProblemText, parseJson, readJson } from './parse-json.ts'

/** What is wrong with the value that a JSON pointer leads to. */
export type PlacedMessage = Pick<Problem, 'path' | 'message'>

/** Marks a change made by the page, as opposed to typing. */
const fromPage = Annotation.define<true>()

/** What the page can do with the editor. */
export interface JsonEditorHandle {
  /** Focuses the editor with the cursor in a line; lines count from 1. */
  goToLine: (line: number) => void
}

export interface JsonEditorProps {
  text: string
  /** Finds the errors in a document that parses. */
  check: (value: JsonValue) => readonly Problem[]
  /** Those of a request body, unless others are given. */
  limits?: Partial<StrictJsonLimits> | undefined
  /** The errors that the server found in this text. */
  refused?: readonly PlacedMessage[] | undefined
  /** The accessible name of the editor. */
  label: string
  readOnly: boolean
  onText: (text: string) => void
  wiring?: ControlWiring
  /** `fill` takes the height of a flex column. */
  height?: 'auto' | 'tall' | 'fill'
  /** Keeps the person's formatting when `text` holds the same value. */
  keepsFormat?: boolean
  /** Focuses the editor when it appears. */
  takesFocus?: boolean
  /**
   * The JSON pointer of a value to mark and to scroll to. Without that value, the editor scrolls to the one around it.
   * Neither the focus nor the page moves.
   */
  pointed?: string | undefined
  handle?: Ref<JsonEditorHandle>
}

/**
 * A JSON editor that marks syntax and schema errors in place. It uses a shadow root: CodeMirror injects its styles at
 * run time, which the page's Content-Security-Policy forbids, and the adopted style sheets of a shadow root are not
 * affected.
 */
export function JsonEditor({
  text,
  check,
  limits,
  refused = NONE,
  label,
  readOnly,
  onText,
  wiring,
  height = 'auto',
  keepsFormat = true,
  takesFocus = false,
  pointed,
  handle,
}: JsonEditorProps) {
  const t = useText()
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView | null>(null)
  const locked = useRef(new Compartment())
  const notify = useEffectEvent(onText)
  const problems = useEffectEvent((editor: EditorView) =>
    problemsIn(editor, (value) => [...check(value), ...refused], { limits, t }),
  )
  const initial = useEffectEvent(() => ({ text, pointed, readOnly, takesFocus, phrases: editorPhrases(t) }))
  const shownPlace = useRef('')
  const point = useEffectEvent((editor: EditorView, pointer: string | undefined, shown: string) => {
    // while the person types in the editor, the mark moves with its text, and nothing scrolls
    if (editor.hasFocus || editor.state.doc.length !== shown.length) return
    const place = pointer === undefined ? undefined : findJsonPlaces(shown, [pointer]).get(pointer)
    editor.dispatch({ effects: setMark.of(place?.isExact === true ? place : null) })
    const name = `${pointer} ${place?.isExact}`
    // the person may have scrolled since it was shown
    if (place !== undefined && name !== shownPlace.current) scrollTo(editor, place.from)
    shownPlace.current = name
  })

  useImperativeHandle(handle, () => ({
    goToLine: (line) => view.current !== null && goToLine(view.current, line),
  }))

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
          ...extensionsOf({ label, phrases: start.phrases, problems, onText: notify }),
          locked.current.of(EditorState.readOnly.of(start.readOnly)),
        ],
      }),
    })
    view.current = editor
    // a label, and an error that leads here, focus the first part that can have it, which is the scroller
    editor.scrollDOM.addEventListener('focus', () => editor.focus())
    if (start.takesFocus) editor.focus()
    point(editor, start.pointed, start.text)
    return () => {
      view.current = null
      editor.destroy()
    }
  }, [label])

  useEffect(() => {
    view.current?.dispatch({ effects: locked.current.reconfigure(EditorState.readOnly.of(readOnly)) })
  }, [readOnly])

  useEffect(() => {
    // the linter runs on changes of the text only
    if (refused !== NONE) view.current?.dispatch({ effects: checkAgain.of(null) })
  }, [refused])

  // in the same commit as `onText`, so that the next key applies to the text on the screen
  useLayoutEffect(() => {
    if (view.current !== null) showText(view.current, text, keepsFormat)
  }, [text, keepsFormat])

  // after the text, in the same commit
  useLayoutEffect(() => {
    if (view.current !== null) point(view.current, pointed, text)
  }, [text, pointed])

  return (
    <div
      ref={host}
      id={wiring?.id}
      className={`overflow-auto rounded-md border border-control bg-surface ${HEIGHTS[height]}`}
    />
  )
}

function showText(editor: EditorView, text: string, keepsFormat: boolean): void {
  const shown = editor.state.doc.toString()
  if (keepsFormat && holdSame(shown, text)) return
  const changes = difference(shown, text)
  const annotations = [fromPage.of(true), Transaction.addToHistory.of(false)]
  if (changes !== null) editor.dispatch({ changes, annotations })
}

function goToLine(editor: EditorView, line: number): void {
  const { from } = editor.state.doc.line(Math.min(line, editor.state.doc.lines))
  editor.focus()
  editor.dispatch({ selection: { anchor: from } })
  scrollTo(editor, from)
}

const extensionsOf = ({
  label,
  phrases,
  problems,
  onText,
}: {
  label: string
  phrases: Record<string, string>
  problems: (editor: EditorView) => readonly Diagnostic[]
  onText: (text: string) => void
}): Extension[] => [
  basicSetup,
  EditorState.phrases.of(phrases),
  json(),
  lintGutter(),
  linter((editor) => problems(editor), {
    delay: 200,
    needsRefresh: ({ transactions }) =>
      transactions.some(({ effects }) => effects.some((effect) => effect.is(checkAgain))),
  }),
  EditorView.lineWrapping,
  EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
  EditorView.updateListener.of((update) => {
    const isTyped = (one: Transaction) => one.docChanged && one.annotation(fromPage) !== true
    if (update.transactions.some(isTyped)) onText(update.state.doc.toString())
  }),
  markField,
  LOOK,
  syntaxHighlighting(COLORS),
]

const HEIGHTS = { auto: 'max-h-96 min-h-16', tall: 'h-[60vh]', fill: 'min-h-0 flex-1' }

const NONE: readonly PlacedMessage[] = []

const checkAgain = StateEffect.define()

const setMark = StateEffect.define<{ from: number; to: number } | null>()
const MARK = Decoration.line({ class: 'cm-pointed' })

/** The marked lines. They move with the text. */
const markField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (before, { changes, effects, state }) => {
    const effect = effects.findLast((one) => one.is(setMark))
    if (effect === undefined) return before.map(changes)
    if (effect.value === null) return Decoration.none
    const [first, last] = [effect.value.from, effect.value.to].map(
      (offset) => state.doc.lineAt(offset).number,
    )
    const lines = Array.from({ length: (last ?? 0) - (first ?? 0) + 1 }, (_, index) => (first ?? 0) + index)
    return Decoration.set(lines.map((line) => MARK.range(state.doc.line(line).from)))
  },
  provide: (field) => EditorView.decorations.from(field),
})

/** Scrolls inside the editor only; CodeMirror's own way scrolls the page too. */
function scrollTo(editor: EditorView, offset: number, passes = 2): void {
  editor.requestMeasure({
    key: editor,
    read: () => editor.lineBlockAt(Math.min(offset, editor.state.doc.length)).top,
    write: (top) => {
      editor.scrollDOM.scrollTop = top - editor.scrollDOM.clientHeight / 4
      // the heights of lines far from the window are known only after it has moved
      if (passes > 1) scrollTo(editor, offset, passes - 1)
    },
  })
}

function holdSame(one: string, other: string): boolean {
  if (one.trim() === other.trim()) return true
  const [value, otherValue] = [parseJson(one), parseJson(other)]
  return value !== undefined && otherValue !== undefined && deepEqual(value, otherValue)
}

/** The single range in which two texts differ, so that the cursor keeps its position outside it. */
function difference(before: string, after: string): { from: number; to: number; insert: string } | null {
  if (before === after) return null
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && before[start] === after[start]) start += 1
  let end = 0
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1
  return { from: start, to: before.length - end, insert: after.slice(start, after.length - end) }
}

function problemsIn(
  editor: EditorView,
  check: (value: JsonValue) => readonly PlacedMessage[],
  { limits, t }: { limits: Partial<StrictJsonLimits> | undefined; t: Translate },
): Diagnostic[] {
  const text = editor.state.doc.toString()
  if (text.trim() === '') return []
  const { value, error } = readJson(text, limits)
  if (error !== null) {
    const { from, to } = error.place
    return [{ from, to, severity: 'error', message: jsonProblemText(error.problem, t) }]
  }
  const problems = check(value)
  const places = findJsonPlaces(
    text,
    problems.map(({ path }) => path),
  )
  return problems.map(({ path, message }) => {
    const { from, to } = places.get(path) ?? { from: 0, to: text.length }
    return { from, to, severity: 'error' as const, message }
  })
}

/** The usual highlighting in our color tokens, which change with the theme. Other tags keep the text color. */
const TOKENS: Readonly<Record<string, string>> = {
  '#a11': 'var(--ok)',
  '#164': 'var(--live)',
  '#219': 'var(--live)',
  '#f00': 'var(--fail)',
}
const COLORS = HighlightStyle.define(
  defaultHighlightStyle.specs.map(({ color, ...spec }) => ({
    ...spec,
    color: (typeof color === 'string' ? TOKENS[color] : undefined) ?? 'inherit',
  })),
)

const LOOK = EditorView.theme({
  '&': { fontSize: '12px', color: 'var(--ink)', backgroundColor: 'transparent', height: '100%' },
  '&.cm-focused': { outline: 'none' },
  '.cm-content': { fontFamily: 'var(--font-mono, monospace)', caretColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'var(--sunken)', color: 'var(--faint)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--hover)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'var(--accent-tint)' },
  '.cm-pointed': { backgroundColor: 'var(--accent-tint)', boxShadow: 'inset 2px 0 var(--accent)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-panels': { backgroundColor: 'var(--sunken)', color: 'var(--ink)', fontFamily: 'var(--font-sans)' },
  '.cm-panels.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-panels.cm-panels-bottom': { borderTop: '1px solid var(--line)' },
  '.cm-panel.cm-search, .cm-panel.cm-gotoLine': {
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'center',
    gap: '6px',
    padding: '8px 36px 8px 8px',
  },
  '.cm-panel.cm-search br': { display: 'none' },
  '.cm-panel.cm-search input, .cm-panel.cm-search button, .cm-panel.cm-search label': {
    margin: '0',
    fontSize: '12px',
  },
  '.cm-panel.cm-search label': { display: 'inline-flex', alignItems: 'center', gap: '4px' },
  '.cm-panel input[type=checkbox]': { accentColor: 'var(--accent)' },
  '.cm-textfield': {
    height: '26px',
    padding: '0 8px',
    fontSize: '12px',
    color: 'var(--ink)',
    backgroundColor: 'var(--surface)',
    border: '1px solid var(--control)',
    borderRadius: '4px',
  },
  '.cm-button': {
    height: '26px',
    padding: '0 8px',
    fontSize: '12px',
    fontWeight: '500',
    color: 'var(--ink)',
    backgroundColor: 'var(--surface)',
    backgroundImage: 'none',
    border: '1px solid var(--line-strong)',
    borderRadius: '4px',
    cursor: 'pointer',
  },
  '.cm-button:hover': { backgroundColor: 'var(--hover)' },
  '.cm-button:active': { backgroundColor: 'var(--selected)', backgroundImage: 'none' },
  '.cm-textfield:focus-visible, .cm-button:focus-visible, .cm-panel input[type=checkbox]:focus-visible': {
    outline: '2px solid var(--accent)',
    outlineOffset: '-1px',
  },
  '.cm-panel.cm-search [name=close], .cm-panel.cm-gotoLine [name=close]': {
    top: '8px',
    right: '8px',
    width: '26px',
    height: '26px',
    fontSize: '16px',
    color: 'var(--muted)',
    borderRadius: '4px',
    cursor: 'pointer',
  },
  '.cm-panel [name=close]:hover': { backgroundColor: 'var(--selected)', color: 'var(--ink)' },
  '.cm-searchMatch': { backgroundColor: 'var(--doubt-tint)', outline: '1px solid var(--doubt-line)' },
  '.cm-searchMatch-selected': { backgroundColor: 'var(--doubt-line)' },
  '.cm-lint-marker': { width: '8px', height: '8px', margin: '5px 3px', borderRadius: '999px' },
  '.cm-lint-marker-error': { content: 'none', backgroundColor: 'var(--fail)' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--fail)',
    textUnderlineOffset: '3px',
  },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--fail)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    color: 'var(--ink)',
    border: '1px solid var(--line-strong)',
  },
})
