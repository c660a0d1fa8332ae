import { Outlet, useLocation, useNavigate, type NavigateOptions } from '@tanstack/react-router'
import { memo, useCallback, useEffect, useRef, useState } from 'react'
import { useOpenFromAlert } from '../subjects/alerts/alerts.ts'
import { useText } from '../i18n/use-text.ts'
import { paths } from '../addresses/paths.ts'
import { Button } from '../ui/Button.tsx'
import { Brand, Icon } from '../ui/Icon.tsx'
import { Keys } from '../ui/Keys.tsx'
import { PlainLink, type LinkTarget } from '../ui/Link.tsx'
import { Toasts } from '../ui/Toasts.tsx'
import { InboxBell } from './InboxBell.tsx'
import { CommandPalette } from './CommandPalette.tsx'
import { Navigation } from './Navigation.tsx'
import { keepFieldSteady } from './steady-field.ts'
import { Shortcuts } from './Shortcuts.tsx'
import { Understood } from './Understood.tsx'
import { UserMenu } from './UserMenu.tsx'
import { titleCutTexts } from '../ui/cut-text.ts'
import { focusHome } from '../ui/keep-focus.ts'
import { isDialogOpen, useModal } from '../ui/use-modal.ts'
import { READ_AGAIN_MS } from '../api/query.ts'
import { useTroubles } from '../subjects/troubles/Troubles.tsx'
import { useShell } from '../subjects/shell/shell-context.ts'

/** The frame: the page, with navigation at the side, or a bar with a drawer on small screens. */
export function Shell() {
  const [palette, setPalette] = useState(false)
  const [drawer, setDrawer] = useState(false)
  useEffect(titleCutTexts, [])
  const navigate = useNavigate()
  useOpenFromAlert(useCallback((to: LinkTarget) => void navigate(to as NavigateOptions), [navigate]))
  const openPalette = useCallback(() => setPalette(true), [])
  const openDrawer = useCallback(() => setDrawer(true), [])
  usePaletteKey(openPalette)

  return (
    <div className="print:block! lg:grid lg:min-h-dvh lg:grid-cols-[15rem_minmax(0,1fr)]">
      <Frame openPalette={openPalette} openDrawer={openDrawer} />
      {drawer && <Drawer onClose={() => setDrawer(false)} />}
      {palette && <CommandPalette onClose={() => setPalette(false)} />}
    </div>
  )
}

/** Not rendered again when the search or the drawer opens: its links are most of what such a press would render. */
const Frame = memo(function Frame({
  openPalette,
  openDrawer,
}: {
  openPalette: () => void
  openDrawer: () => void
}) {
  const t = useText()
  const main = useFocusOnNewPage()
  useEffect(() => (main.current === null ? undefined : keepFieldSteady(main.current)), [main])
  return (
    <>
      <a
        href="#content"
        className="fixed top-2 left-2 z-50 -translate-y-16 rounded-md bg-ink px-3 py-2 font-medium text-inverse focus:translate-y-0 print:hidden"
      >
        {t('shell.skip')}
      </a>

      <aside className="print:hidden sticky top-0 hidden h-dvh flex-col border-r border-line bg-canvas lg:flex dark:bg-surface">
        <div className="flex items-center justify-between p-2">
          <Home />
          <InboxBell />
        </div>
        <div className="px-2 pb-3">
          <PaletteButton onOpen={openPalette} />
        </div>
        <Navigation />
        {/* the place of the connection line */}
        <div className="h-10" />
        <div className="border-t border-line p-2">
          <UserMenu />
        </div>
      </aside>

      <header className="print:hidden sticky top-0 z-20 flex h-12 items-center gap-1 border-b border-line bg-canvas px-2 lg:hidden dark:bg-surface">
        <Button variant="quiet" icon="menu" label={t('shell.nav.open')} onClick={openDrawer} />
        <Home />
        <span className="flex-1" />
        <InboxBell />
        <Button variant="quiet" icon="search" label={t('shell.palette.open')} onClick={openPalette} />
      </header>

      <main
        id="content"
        ref={main}
        tabIndex={-1}
        {...focusHome()}
        className="min-w-0 bg-surface dark:bg-canvas outline-none max-lg:min-h-[calc(100dvh-3rem)]"
      >
        <Understood>
          <Outlet />
        </Understood>
      </main>

      <ConnectionLine />
      <Toasts />
      <Shortcuts />
    </>
  )
})

/** The navigation of small screens. It is rendered while it is open: every page would render all of its links twice otherwise. */
function Drawer({ onClose }: { onClose: () => void }) {
  const t = useText()
  const dialog = useModal((shown) => shown.querySelector('a'))
  return (
    // clicking the backdrop closes it for the mouse; the keyboard has Escape
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions
    <dialog
      ref={dialog}
      aria-label={t('shell.navigation')}
      onClick={(event) => event.target === event.currentTarget && onClose()}
      // an event of a dialog that was shown again meanwhile, as in strict mode, is not about it
      onClose={({ currentTarget }) => !currentTarget.open && onClose()}
      className="fixed inset-y-0 left-0 m-0 h-dvh max-h-none w-72 max-w-[85vw] border-r border-line bg-canvas dark:bg-surface shadow-3 lg:hidden"
    >
      <div className="flex h-full flex-col">
        <div className="flex h-12 items-center justify-between px-2">
          <Home onNavigate={onClose} />
          <Button variant="quiet" icon="close" label={t('shell.nav.close')} onClick={onClose} />
        </div>
        <Navigation onNavigate={onClose} />
        <div className="border-t border-line p-2">
          <UserMenu />
        </div>
      </div>
    </dialog>
  )
}

function Home({ onNavigate }: { onNavigate?: () => void }) {
  const t = useText()
  return (
    <PlainLink
      to={paths.overview()}
      {...(onNavigate && { onClick: onNavigate })}
      className="flex h-9 items-center gap-2 rounded-md px-2 font-semibold tracking-tight whitespace-nowrap"
    >
      <Brand />
      {t('shell.product')}
    </PlainLink>
  )
}

function PaletteButton({ onOpen }: { onOpen: () => void }) {
  const t = useText()
  return (
    <button
      type="button"
      onClick={onOpen}
      className="flex h-8 w-full items-center gap-2 rounded-md border border-line-strong bg-surface pr-1.5 pl-2 text-faint shadow-1 hover:border-control"
    >
      <Icon name="search" size={14} />
      <span className="flex-1 truncate text-left">{t('shell.palette.open')}</span>
      <Keys keys={['mod', 'K']} />
    </button>
  )
}

/** Moves the focus to the top of a new page, for keyboards and screen readers; a new filter or tab is the same page. */
function useFocusOnNewPage() {
  const pathname = useLocation({ select: (location) => location.pathname })
  const main = useRef<HTMLElement>(null)
  const shown = useRef(pathname)
  useEffect(() => {
    if (shown.current === pathname) return
    shown.current = pathname
    main.current?.focus({ preventScroll: true })
  }, [pathname])
  return main
}

function usePaletteKey(open: () => void) {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (
        event.key.toLowerCase() !== 'k' ||
        !(event.metaKey || event.ctrlKey) ||
        event.altKey ||
        event.shiftKey
      )
        return
      event.preventDefault()
      if (!isDialogOpen()) open()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  })
}

/**
 * Says while no updates arrive, or the platform itself does not work: at the foot of the navigation, or in the bar on
 * small screens. Both places are empty otherwise, so it covers nothing and moves nothing; on a phone it hides the bell, whose
 * count may then be old.
 */
function ConnectionLine() {
  const t = useText()
  const { connection } = useShell()
  const [trouble] = useTroubles()
  return (
    <output className="print:hidden pointer-events-none fixed top-1.5 right-10.5 left-45 z-30 flex h-9 items-center justify-end sm:right-22 lg:top-auto lg:right-auto lg:bottom-14 lg:left-2 lg:w-56 lg:justify-center">
      {(connection !== 'live' || trouble !== undefined) && (
        <span className="flex min-w-0 animate-appear items-center gap-2 rounded-md bg-ink px-2 py-0.5 text-xs/4 font-medium text-inverse">
          <Icon name={connection === 'live' ? 'warning' : 'offline'} size={14} className="shrink-0" />
          <span className="line-clamp-2">
            {connection === 'live'
              ? trouble && t(`troubles.${trouble.kind}`)
              : connection === 'polling'
                ? t('shell.connection.polling', { seconds: READ_AGAIN_MS / 1000 })
                : t(`shell.connection.${connection}`)}
          </span>
        </span>
      )}
    </output>
  )
}
