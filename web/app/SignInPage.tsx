import { useText } from '../i18n/use-text.ts'
import { SignInCard } from './SignInCard.tsx'

/** Instead of the page that was asked for, while nobody is signed in; signing in leads to that page. */
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
