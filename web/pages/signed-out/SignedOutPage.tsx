import { getRouteApi } from '@tanstack/react-router'
import { signInAfterSignOut } from '../../api/session.ts'
import { SignInCard } from '../../layouts/SignInCard.tsx'
import { useText } from '../../i18n/use-text.ts'

const route = getRouteApi('/signed-out')

export function SignedOutPage() {
  const t = useText()
  const { returnTo = '/' } = route.useSearch()
  return (
    <SignInCard
      title={t('shell.signedOut.title')}
      message={t('shell.signedOut.message')}
      signIn={signInAfterSignOut(returnTo)}
    />
  )
}
