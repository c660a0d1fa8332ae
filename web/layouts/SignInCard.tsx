import type { ReactNode } from 'react'
import { useText } from '../i18n/use-text.ts'
import { buttonStyle } from '../ui/button-style.ts'
import { Brand } from '../ui/Icon.tsx'
import { LanguageSwitch } from '../ui/LanguageSwitch.tsx'

/** The content of pages without a session. Signing in loads a new document. */
export function SignInCard({
  title,
  message,
  signIn,
}: {
  title: string
  message: ReactNode
  /** The URL of the sign-in. */
  signIn: string
}) {
  const t = useText()
  return (
    <main className="grid min-h-dvh place-items-center p-4">
      <title>{`${title} · ${t('shell.product')}`}</title>
      {/* the card is the middle beat of the mark */}
      <div className="relative w-full max-w-sm rounded-lg border border-line bg-surface p-6 shadow-1 before:absolute before:inset-y-0 before:-left-14 before:w-7 before:border-6 before:border-r-0 before:border-ink after:absolute after:inset-y-0 after:-right-14 after:w-7 after:border-6 after:border-l-0 after:border-ink max-sm:before:hidden max-sm:after:hidden">
        <p className="flex items-center gap-3 text-lg font-semibold tracking-tight">
          <Brand size={40} />
          {t('shell.product')}
        </p>
        <h1 className="mt-6 text-xl font-semibold tracking-tight">{title}</h1>
        <p className="mt-1 text-muted">{message}</p>
        <a href={signIn} className={`mt-5 w-full ${buttonStyle({ variant: 'primary' })}`}>
          {t('shell.signedOut.signIn')}
        </a>
        <div className="mt-6 border-t border-line pt-4">
          <LanguageSwitch />
        </div>
      </div>
    </main>
  )
}
