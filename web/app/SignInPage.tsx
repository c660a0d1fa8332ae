import { useText } from '../i18n/use-text.ts'
import { SignInCard } from './SignInCard.tsx'

/** Replaces the requested page while nobody is signed in; signing in returns to that page. */
export function SignInPage() {
  const t = useText()
  return (
    <SignInCard
      title={t('shell.signIn.title')}
      message={t('shell.signIn.message')}
      returnTo={location.pathname + location.search}
    />
  )
}
