import { getRouteApi } from '@tanstack/react-router'
import { useText } from '../../i18n/use-text.ts'
import { buttonStyle } from '../../ui/button-style.ts'
import { Brand } from '../../ui/icons/Brand.tsx'
import { LanguageSwitch } from '../../ui/LanguageSwitch.tsx'

const route = getRouteApi('/signed-out')

/** Outside of the shell: there is no session to frame. Signing in is a navigation of the whole page. */
export function SignedOutPage() {
  const t = useText()
  const { returnTo = '/' } = route.useSearch()
  return (
    <main className="grid min-h-dvh place-items-center p-4">
      <title>{`${t('shell.signedOut.title')} · ${t('shell.product')}`}</title>
      <div className="w-full max-w-sm rounded-lg border border-line bg-surface p-6 shadow-1">
        <p className="flex items-center gap-2 font-semibold">
          <Brand />
          {t('shell.product')}
        </p>
        <h1 className="mt-6 text-xl font-semibold tracking-tight">{t('shell.signedOut.title')}</h1>
        <p className="mt-1 text-muted">{t('shell.signedOut.message')}</p>
        <a
          href={`/auth/login?returnTo=${encodeURIComponent(returnTo)}`}
          className={`mt-5 w-full ${buttonStyle({ variant: 'primary' })}`}
        >
          {t('shell.signedOut.signIn')}
        </a>
        <div className="mt-6 border-t border-line pt-4">
          <LanguageSwitch />
        </div>
      </div>
    </main>
  )
}
