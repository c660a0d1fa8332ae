import { useNavigate } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { isDialogOpen } from '../ui/use-modal.ts'
import { useText, type PlainTextKey } from '../i18n/use-text.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { Keys } from '../ui/Keys.tsx'
import { paths } from '../addresses/paths.ts'

const CHORD_MS = 1_500

/** Keys that work on every page while no field has the focus: chords, the search of the page, its rows and views, and this help. */
export function Shortcuts() {
  const navigate = useNavigate()
  const [isHelp, setIsHelp] = useState(false)
  const chordUntil = useRef(0)
  const press = useEffectEvent((event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, altKey } = event
    if (ctrlKey || metaKey || altKey || event.defaultPrevented || isTyping(event) || isDialogOpen()) return
    const chord = performance.now() < chordUntil.current ? CHORDS[key as keyof typeof CHORDS] : undefined
    chordUntil.current = key === 'g' ? performance.now() + CHORD_MS : 0
    if (chord !== undefined) void navigate(chord.to)
    else if (key === '?') setIsHelp(true)
    else if (key === '/') focusSearch()
    else if (key === 'j' || key === 'k') focusRow(key === 'j' ? 1 : -1)
    else if (key >= '1' && key <= '9') chooseView(key)
    else if (key === '+' || key === '=' || key === '-' || key === '0') zoom(key === '=' ? '+' : key)
    else if (key === 'x') selectRow()
    else if (key === 'a') focusSelectionAction()
    else return
    event.preventDefault()
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => press(event)
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
  return isHelp && <ShortcutHelp onClose={() => setIsHelp(false)} />
}

const isTyping = ({ target }: KeyboardEvent): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.shadowRoot !== null ||
    target.matches('input:not([type=checkbox], [type=radio]), textarea, select'))

function focusSearch(): void {
  document.querySelector<HTMLInputElement>('#content input[type=search]')?.focus()
}

/** Chooses a view of the page by its number; see `TabList`. */
function chooseView(key: string): void {
  document.querySelector<HTMLElement>(`#content [role=tab][aria-keyshortcuts="${key}"]`)?.click()
}

/** Presses a zoom button of the page; see `ZoomBar`. */
function zoom(key: string): void {
  document.querySelector<HTMLElement>(`#content button[aria-keyshortcuts="${key}"]`)?.click()
}

/** Moves the focus to the next or previous row of the page's list. */
function focusRow(step: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>('#content a.row-link')]
  const at = links.findIndex((link) => link === document.activeElement)
  const next = at === -1 ? (step === 1 ? links[0] : links.at(-1)) : links[at + step]
  next?.focus()
}

/** Selects the row that has the focus, or removes it from the selection. */
function selectRow(): void {
  document.activeElement?.closest('tr')?.querySelector<HTMLInputElement>('input[type=checkbox]')?.click()
}

/** Moves the focus to the first action for the selected rows. */
function focusSelectionAction(): void {
  document.querySelector<HTMLElement>('#content [data-selection-actions] button')?.focus()
}

const OTHERS: readonly { label: PlainTextKey; keys: readonly string[] }[] = [
  { label: 'shell.keys.palette', keys: ['mod', 'K'] },
  { label: 'shell.keys.search', keys: ['/'] },
  { label: 'shell.keys.rows', keys: ['j', 'k'] },
  { label: 'shell.keys.select', keys: ['x'] },
  { label: 'shell.keys.actions', keys: ['a'] },
  { label: 'shell.keys.open', keys: ['↵'] },
  { label: 'shell.keys.views', keys: ['1', '2', '3'] },
  { label: 'shell.keys.zoom', keys: ['+', '-', '0'] },
  { label: 'shell.keys.review', keys: ['mod', 'S'] },
  { label: 'shell.keys.undo', keys: ['mod', 'Z'] },
  { label: 'shell.keys.redo', keys: ['mod', 'Shift', 'Z'] },
  { label: 'shell.keys.confirm', keys: ['mod', '↵'] },
  { label: 'shell.keys.help', keys: ['?'] },
]

/** The keys that work on every page. */
function ShortcutHelp({ onClose }: { onClose: () => void }) {
  const t = useText()
  return (
    <Dialog open onClose={onClose} title={t('shell.keys.title')}>
      <div className="grid gap-x-10 gap-y-4 sm:grid-cols-2">
        <dl className="space-y-1.5">
          {OTHERS.map(({ label, keys }) => (
            <Line key={label} label={t(label)} keys={keys} />
          ))}
        </dl>
        <dl className="space-y-1.5">
          {Object.entries(CHORDS).map(([key, { label }]) => (
            <Line key={key} label={t(label)} keys={['g', key]} />
          ))}
        </dl>
      </div>
    </Dialog>
  )
}

function Line({ label, keys }: { label: string; keys: readonly string[] }) {
  return (
    <div className="flex min-h-7 items-center justify-between gap-4">
      <dt>{label}</dt>
      <dd>
        <Keys keys={[...keys]} />
      </dd>
    </div>
  )
}

/** The pages that `g` and a letter open. */
const CHORDS = {
  o: { label: 'shell.nav.overview', to: paths.overview() },
  d: { label: 'shell.nav.duty', to: paths.duty() },
  i: { label: 'shell.nav.installations', to: paths.installations() },
  v: { label: 'shell.nav.versions', to: paths.versions() },
  p: { label: 'shell.nav.operations', to: paths.operations() },
  r: { label: 'shell.nav.changes', to: paths.changeRequests() },
  c: { label: 'shell.nav.scopes', to: paths.scopes() },
  b: { label: 'shell.nav.catalog', to: paths.catalog() },
  t: { label: 'shell.nav.batches', to: paths.batches() },
  l: { label: 'shell.nav.plugins', to: paths.plugins() },
  s: { label: 'shell.nav.services', to: paths.services() },
  a: { label: 'shell.nav.audit', to: paths.audit() },
} as const satisfies Record<string, { label: PlainTextKey; to: unknown }>
