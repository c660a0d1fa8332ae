import { useText, type PlainTextKey } from '../i18n/use-text.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { Keys } from '../ui/Keys.tsx'
import { CHORDS } from './chords.ts'

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
  { label: 'shell.keys.confirm', keys: ['mod', '↵'] },
  { label: 'shell.keys.help', keys: ['?'] },
]

/** The keys that work on every page. */
export function ShortcutHelp({ onClose }: { onClose: () => void }) {
  const t = useText()
  return (
    <Dialog open onClose={onClose} title={t('shell.keys.title')}>
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
