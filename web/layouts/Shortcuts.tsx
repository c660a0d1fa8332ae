import { useNavigate } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useText, type PlainTextKey } from '../i18n/use-text.ts'
import { paths } from '../paths.ts'
import { Dialog } from '../ui/dialog/Dialog.tsx'
import { isDialogOpen } from '../ui/dialog/use-modal.ts'
import { Keys } from '../ui/Keys.tsx'

const CHORD_MS = 1_500

/** The pages that `g` and a letter open. */
const CHORDS = {
  o: { label: 'shell.nav.overview', to: paths.overview() },
  i: { label: 'shell.nav.installations', to: paths.installations() },
  v: { label: 'shell.nav.versions', to: paths.versions() },
  p: { label: 'shell.nav.operations', to: paths.operations() },
  c: { label: 'shell.nav.scopes', to: paths.scopes() },
  b: { label: 'shell.nav.catalog', to: paths.catalog() },
  t: { label: 'shell.nav.batches', to: paths.batches() },
  l: { label: 'shell.nav.plugins', to: paths.plugins() },
  s: { label: 'shell.nav.services', to: paths.services() },
  a: { label: 'shell.nav.audit', to: paths.audit() },
} as const satisfies Record<string, { label: PlainTextKey; to: unknown }>

const OTHERS: readonly { label: PlainTextKey; keys: readonly string[] }[] = [
  { label: 'shell.keys.palette', keys: ['mod', 'K'] },
  { label: 'shell.keys.search', keys: ['/'] },
  { label: 'shell.keys.rows', keys: ['j', 'k'] },
  { label: 'shell.keys.open', keys: ['↵'] },
  { label: 'shell.keys.review', keys: ['mod', 'S'] },
  { label: 'shell.keys.confirm', keys: ['mod', '↵'] },
  { label: 'shell.keys.help', keys: ['?'] },
]

/** Keys that work on every page while no field has the focus: chords, the search of the page, its rows, and this help. */
export function Shortcuts() {
  const t = useText()
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
    else return
    event.preventDefault()
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => press(event)
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
  if (!isHelp) return null
  return (
    <Dialog open onClose={() => setIsHelp(false)} title={t('shell.keys.title')}>
      <dl className="grid gap-x-10 gap-y-1.5 sm:grid-cols-2">
        {OTHERS.map(({ label, keys }) => (
          <Line key={label} label={t(label)} keys={keys} />
        ))}
        {Object.entries(CHORDS).map(([key, { label }]) => (
          <Line key={key} label={t(label)} keys={['g', key]} />
        ))}
      </dl>
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

const isTyping = ({ target }: KeyboardEvent): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.shadowRoot !== null ||
    target.matches('input:not([type=checkbox], [type=radio]), textarea, select'))

function focusSearch(): void {
  document.querySelector<HTMLInputElement>('#content input[type=search]')?.focus()
}

/** Moves the focus to the next or previous row of the page's list. */
function focusRow(step: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>('#content a.row-link')]
  const at = links.findIndex((link) => link === document.activeElement)
  const next = at === -1 ? (step === 1 ? links[0] : links.at(-1)) : links[at + step]
  next?.focus()
}
