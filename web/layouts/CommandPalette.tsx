import { useNavigate, type NavigateOptions } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useId, useRef, useState, type KeyboardEvent } from 'react'
import { joinList } from '../i18n/punctuation.ts'
import { useText } from '../i18n/use-text.ts'
import { cx } from '../ui/class-names.ts'
import { useModal } from '../ui/use-modal.ts'
import { Icon } from '../ui/Icon.tsx'
import { Keys } from '../ui/Keys.tsx'
import { navigation } from './Navigation.tsx'
import { matchesWords } from '../subjects/scopes/scope-text.ts'
import { paths } from '../addresses/paths.ts'
import { setTheme, THEMES } from '../ui/theme.ts'
import {
  useShell,
  type PaletteGroup,
  type PaletteHit,
  type PaletteSearch,
  type ShellContextValue,
} from '../subjects/shell/shell-context.ts'

const MIN_SEARCH = 2
const DELAY_MS = 180
const STEPS: Partial<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }

/** Lists pages at once, and installations and operations as they are found. A native modal dialog. */
export function CommandPalette({ onClose }: { onClose: () => void }) {
  const t = useText()
  const id = useId()
  const dialog = useModal((shown) => shown.querySelector('input'))
  const palette = usePalette(onClose)
  const { text, inside, found, hits } = palette
  return (
    // clicking the backdrop closes it for the mouse; the keyboard has Escape
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions
    <dialog
      ref={dialog}
      aria-label={t('shell.palette.title')}
      onClose={({ currentTarget }) => !currentTarget.open && onClose()}
      onClick={(event) => event.target === event.currentTarget && onClose()}
      className="mx-auto mt-[12vh] mb-auto w-[min(40rem,calc(100vw-1.5rem))] animate-appear overflow-hidden rounded-lg bg-raised shadow-3"
    >
      <SearchLine id={id} palette={palette} />
      <Results id={id} palette={palette} />
      <p
        aria-live="polite"
        className={cx(
          'px-4 pb-3 text-muted',
          hits.length > 0 &&
            (inside !== null || text.trim().length >= MIN_SEARCH) &&
            found.state !== 'failed' &&
            'sr-only',
        )}
      >
        {found.groups.find(({ note }) => note !== undefined && hits.length === 0)?.note ??
          message(t, inside === null ? text.trim() : null, found.state, hits.length)}
      </p>
      <FailedLists groups={found.groups} state={found.state} />
      <div
        aria-hidden="true"
        className="hidden gap-4 border-t border-line bg-sunken px-4 py-2 text-xs text-faint sm:flex"
      >
        <span className="flex items-center gap-1.5">
          <Keys keys={['↑', '↓']} /> {t('shell.palette.choose')}
        </span>
        <span className="flex items-center gap-1.5">
          <Keys keys={['↵']} /> {t('shell.palette.go')}
        </span>
        <span className="flex items-center gap-1.5">
          <Keys keys={['Esc']} /> {t('shell.palette.leave')}
        </span>
      </div>
    </dialog>
  )
}

type Palette = ReturnType<typeof usePalette>

/** What is typed and chosen, what is found for it, and what opens. */
function usePalette(onClose: () => void) {
  const t = useText()
  const navigate = useNavigate()
  const { can } = useShell()
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const [isOpening, setIsOpening] = useState(false)
  // the result that stands for many, within which is searched
  const [inside, setInside] = useState<InsideHit | null>(null)
  const [typedBefore, setTypedBefore] = useState('')
  const found = useSearch(text.trim(), inside)
  const own = inside === null ? ownGroups(text.trim(), t, can) : NO_GROUPS
  const groups = [...own, ...found.groups.map((group) => withAll(group, t))].filter(
    (group) => group.hits.length > 0,
  )
  const hits = groups.flatMap((group) => group.hits)
  const at = Math.min(chosen, hits.length - 1)
  const type = (next: string) => {
    setText(next)
    setChosen(0)
    setIsOpening(false)
  }
  const open = (hit: PaletteHit | undefined) => {
    if (!hit) return
    if (hit.within !== undefined) {
      setInside(hit)
      setTypedBefore(text)
      type('')
      input.current?.focus()
      return
    }
    onClose()
    // as in PlainLink: the target was type-checked where it was created
    if (hit.run !== undefined) hit.run()
    else void navigate(hit.to as unknown as NavigateOptions)
  }
  // results of an earlier text are not opened: Enter waits for those of the text that is typed
  const isOwn = at >= 0 && at < own.flatMap((group) => group.hits).length
  const isStale = found.state === 'searching' && !isOwn
  const openChosen = useEffectEvent(() => open(hits[at]))
  useEffect(() => {
    // a press of Enter that waited for its results
    // oxlint-disable-next-line react/set-state-in-effect
    if (isOpening && !isStale) openChosen()
  }, [isOpening, isStale])
  return {
    input,
    text,
    type,
    inside,
    leaveInside: () => {
      setInside(null)
      type(typedBefore)
    },
    found,
    groups,
    hits,
    /** The place of the chosen one among the hits; -1 without any. */
    at,
    choose: setChosen,
    open,
    /** Opens the chosen one as soon as it is found for what is typed. */
    openWhenFound: () => setIsOpening(true),
  }
}

function SearchLine({ id, palette }: { id: string; palette: Palette }) {
  const t = useText()
  const { input, text, inside, hits, at } = palette
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Backspace' && text === '' && inside !== null) {
      event.preventDefault()
      palette.leaveInside()
      return
    }
    const step = STEPS[event.key]
    if ((step === undefined && event.key !== 'Enter') || event.nativeEvent.isComposing) return
    event.preventDefault()
    if (step === undefined) palette.openWhenFound()
    else if (hits.length > 0) palette.choose((at + step + hits.length) % hits.length)
  }
  return (
    <div className="flex items-center gap-2.5 border-b border-line px-4">
      <Icon name="search" className="shrink-0 text-faint" />
      {inside !== null && (
        <span className="flex min-w-0 shrink items-center gap-1 rounded-sm bg-selected px-1.5 text-xs font-medium">
          <span className="truncate">{inside.title}</span>
          <Icon name="chevronRight" size={12} className="shrink-0" />
        </span>
      )}
      <input
        ref={input}
        role="combobox"
        aria-expanded={hits.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={hits[at] ? `${id}-${at}` : undefined}
        aria-autocomplete="list"
        aria-label={
          inside === null ? t('shell.palette.open') : t('shell.palette.within', { title: inside.title })
        }
        placeholder={inside === null ? t('shell.palette.open') : t('shell.palette.chooseScope')}
        value={text}
        // a pasted address may be long
        maxLength={4096}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => palette.type(event.target.value)}
        onKeyDown={onKeyDown}
        className="h-12 min-w-0 flex-1 bg-transparent text-md outline-none"
      />
      {palette.found.state === 'searching' && <Icon name="running" size={14} className="text-faint" />}
    </div>
  )
}

function Results({
  id,
  palette: { text, groups, hits, at, choose, open },
}: {
  id: string
  palette: Palette
}) {
  const t = useText()
  return (
    <div
      id={`${id}-list`}
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- the input above is its combobox
      role="listbox"
      aria-label={t('shell.palette.title')}
      className="max-h-[50dvh] overflow-y-auto p-2"
    >
      {groups.map((group) => (
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- inside a listbox
        <div key={group.title} role="group" aria-label={group.title} className="mb-2 last:mb-0">
          <p className="px-2 py-1 text-xs font-medium text-faint" aria-hidden="true">
            {group.title}
          </p>
          {group.note !== undefined && <p className="px-2 pb-1 text-xs text-muted">{group.note}</p>}
          {group.hits.map((hit) => {
            const index = hits.indexOf(hit)
            return (
              <Hit
                key={hit.id}
                id={`${id}-${index}`}
                hit={hit}
                words={text}
                chosen={index === at}
                onChoose={() => choose(index)}
                onOpen={open}
              />
            )
          })}
          {group.mayHaveMore === true && group.more === undefined && (
            <p className="px-2 py-1 text-xs text-muted">{t('shell.palette.more')}</p>
          )}
        </div>
      ))}
    </div>
  )
}

/** Which lists could not be searched. */
function FailedLists({ groups, state }: Found) {
  const t = useText()
  const failed = groups.filter(({ isFailed }) => isFailed === true).map(({ title }) => title)
  if (state !== 'found' || failed.length === 0) return null
  return (
    <p role="status" className="px-4 pb-3 text-xs text-muted">
      {t('shell.palette.listsFailed', { lists: joinList(t, failed) })}
    </p>
  )
}

function Hit({
  id,
  hit,
  words,
  chosen,
  onChoose,
  onOpen,
}: {
  id: string
  hit: PaletteHit
  /** What is searched for; marked where it is found. */
  words: string
  chosen: boolean
  onChoose: () => void
  onOpen: (hit: PaletteHit) => void
}) {
  const line = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (chosen) line.current?.scrollIntoView({ block: 'nearest' })
  }, [chosen])
  return (
    // the focus is in the input, which refers to the selected line
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <div
      ref={line}
      id={id}
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
      role="option"
      tabIndex={-1}
      aria-selected={chosen}
      onPointerMove={chosen ? undefined : onChoose}
      onClick={() => onOpen(hit)}
      className={cx(
        'flex min-h-9 cursor-pointer items-center gap-x-2.5 rounded-md px-2 py-1 max-sm:flex-wrap',
        chosen && 'bg-selected',
      )}
    >
      <Icon name={hit.icon} className="text-muted" />
      <span className="min-w-0 flex-1 truncate font-medium">
        <Marked text={hit.title} words={words} />
        {hit.name !== undefined && isOnlyIn(hit.name, hit.title, words) && (
          <span className="mono ml-2 text-xs font-normal text-muted">
            <Marked text={hit.name} words={words} />
          </span>
        )}
      </span>
      {hit.detail && (
        <span className="mono truncate text-xs text-muted max-sm:order-last max-sm:basis-full max-sm:pl-6.5 sm:max-w-[50%]">
          <Marked text={hit.detail} words={words} />
        </span>
      )}
      {hit.within !== undefined && <Icon name="chevronRight" size={14} className="shrink-0 text-faint" />}
    </div>
  )
}

/** Whether a word is found in the name of a property and not in its title, so that the title does not say why it was found. */
const isOnlyIn = (name: string, title: string, words: string): boolean =>
  wordsOf(words).some((word) => matchesWords(name, word) && !matchesWords(title, word))

const wordsOf = (text: string): string[] => text.split(/[\s/]+/).filter((word) => word !== '')

/** A text with the words of the search marked. */
function Marked({ text, words }: { text: string; words: string }) {
  const wanted = wordsOf(words).map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  if (wanted.length === 0) return text
  const parts = text.split(new RegExp(`(${wanted.join('|')})`, 'iu'))
  // every second part is one of the words
  return Object.entries(parts).map(([place, part]) =>
    Number(place) % 2 === 0 ? (
      part
    ) : (
      <mark
        key={place}
        className="bg-transparent text-inherit underline decoration-accent decoration-2 underline-offset-3"
      >
        {part}
      </mark>
    ),
  )
}

type InsideHit = Extract<PaletteHit, { within: PaletteSearch }>
const NO_GROUPS: readonly PaletteGroup[] = []

/** A group with the way to all of its results at its end. */
function withAll(group: PaletteGroup, t: T): PaletteGroup {
  if (group.more === undefined) return group
  const all: PaletteHit = {
    id: `all ${group.title}`,
    title: t('shell.palette.all', { list: group.title }),
    icon: 'arrowRight',
    to: group.more,
  }
  return { ...group, hits: [...group.hits, all] }
}

type Found = { state: 'idle' | 'searching' | 'found' | 'failed'; groups: readonly PaletteGroup[] }

function useSearch(text: string, inside: InsideHit | null): Found {
  const shell = useShell()
  const search = inside?.within ?? shell.search
  const shortest = inside === null ? MIN_SEARCH : 0
  const [found, setFound] = useState<Found & { text: string; of: PaletteSearch }>({
    text: '',
    of: search,
    state: 'idle',
    groups: NO_GROUPS,
  })
  useEffect(() => {
    if (text.length < shortest) return
    const control = new AbortController()
    const timer = setTimeout(
      () => {
        search(text, control.signal).then(
          (groups) => !control.signal.aborted && setFound({ text, of: search, state: 'found', groups }),
          () => !control.signal.aborted && setFound({ text, of: search, state: 'failed', groups: NO_GROUPS }),
        )
      },
      text === '' ? 0 : DELAY_MS,
    )
    return () => {
      control.abort()
      clearTimeout(timer)
    }
  }, [text, search, shortest])
  if (text.length < shortest) return { state: 'idle', groups: NO_GROUPS }
  if (found.of !== search) return { state: 'searching', groups: NO_GROUPS }
  // the previous results stay until the new ones arrive
  return found.text === text && found.state !== 'idle' ? found : { state: 'searching', groups: found.groups }
}

type T = ReturnType<typeof useText>

/** Pages and actions. An action that has the text as a whole word comes first: "install" also begins a page's title. */
function ownGroups(text: string, t: T, can: ShellContextValue['can']): PaletteGroup[] {
  const pages = pageGroups(text, t, can)
  const actions = actionGroups(text, t, can)
  const word = text.toLowerCase()
  const isNamed = actions.some(({ hits }) =>
    hits.some(({ title }) => title.toLowerCase().split(' ').includes(word)),
  )
  return isNamed ? [...actions, ...pages] : [...pages, ...actions]
}

function pageGroups(text: string, t: T, can: ShellContextValue['can']): PaletteGroup[] {
  const hits = navigation
    .flatMap(({ entries }) => entries)
    .filter(({ needs }) => needs === undefined || can(needs))
    .map(({ label, icon, to }) => ({ id: label, title: t(label), icon, to: { to } }))
    .filter((hit) => matchesWords(hit.title, text))
  return [{ title: t('shell.palette.pages'), hits }]
}

/** What can be done from anywhere; listed once something is typed. */
function actionGroups(text: string, t: T, can: ShellContextValue['can']): PaletteGroup[] {
  if (text === '') return []
  const install = { id: 'install', title: t('shell.action.install'), icon: 'plus' as const }
  const actions: PaletteHit[] = [
    ...(can('installation:install') ? [{ ...install, to: paths.installationNew() }] : []),
    ...(can('installation:upgrade')
      ? [
          {
            id: 'upgrade',
            title: t('shell.action.upgrade'),
            icon: 'sortUp' as const,
            to: paths.installations({ upgrade: 'available' }),
          },
        ]
      : []),
    {
      id: 'outdated',
      title: t('shell.action.outdated'),
      icon: 'versions',
      to: paths.versions({ upgrade: 'available' }),
    },
    ...THEMES.map((theme) => ({
      id: `theme ${theme}`,
      title: t('shell.action.theme', { theme: t(`shell.theme.${theme}`) }),
      icon: 'theme' as const,
      run: () => setTheme(theme),
    })),
  ]
  const hits = actions.filter(({ title }) => matchesWords(title, text))
  return [{ title: t('shell.palette.actions'), hits }]
}

function message(t: T, text: string | null, state: Found['state'], hits: number): string {
  if (state === 'failed') return t('shell.palette.failed')
  if (text !== null && text.length < MIN_SEARCH) return t('shell.palette.hint')
  if (state === 'searching') return t('shell.palette.searching')
  return hits === 0 ? t('shell.palette.empty') : ''
}
