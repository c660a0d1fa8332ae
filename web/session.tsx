import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, type ReactNode } from 'react'
import { mayAnywhere, mayIn } from '#contract/endpoint/permission.ts'
import { ApiError, callApi } from './api/client.ts'
import { keepLive, useConnection } from './api/live.ts'
import { useSession } from './api/session.ts'
import { currentText } from './i18n/use-text.ts'
import { ShellContext, type PaletteGroup, type ShellContextValue } from './layouts/shell-context.ts'
import { paths } from './paths.ts'
import { router } from './router.ts'
import { installationLook, operationLook } from './ui/states.ts'

const FOUND = 6

/** Gives the shell who is signed in and whether changes arrive; leads to the signed-out page when the session is gone. */
export function SessionProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient()
  const { data, error } = useSession()
  const connection = useConnection()
  const gone = error instanceof ApiError && error.problem.code === 'AUTHENTICATION_REQUIRED'
  const signedIn = data !== undefined && !gone

  useEffect(() => (signedIn ? keepLive(client) : undefined), [client, signedIn])
  useEffect(() => {
    if (gone) leave()
  }, [gone])

  const value = useMemo<ShellContextValue>(
    () => ({
      user: data?.user ?? null,
      roles: data?.roles ?? [],
      can: (permission, place) =>
        place ? mayIn(data?.grants ?? [], permission, place) : mayAnywhere(data?.grants ?? [], permission),
      connection: connection === 'lost' ? 'lost' : 'live',
      signOut: () => void signOut(),
      search,
    }),
    [data, connection],
  )
  return <ShellContext value={value}>{children}</ShellContext>
}

function leave() {
  const { pathname, href } = router.history.location
  if (pathname !== '/signed-out') void router.navigate({ ...paths.signedOut(href), replace: true })
}

/** Ends the session for good, then loads anew: nothing that was fetched stays in memory. */
async function signOut() {
  await fetch('/auth/logout', {
    method: 'POST',
    headers: { 'x-requested-by': 'console' },
    redirect: 'manual',
  }).catch(() => undefined)
  location.assign('/signed-out')
}

async function search(q: string, signal: AbortSignal): Promise<PaletteGroup[]> {
  const t = currentText()
  const query = { q, limit: FOUND }
  const [installations, operations] = await Promise.all([
    callApi('GET /installations', { query }, { signal }),
    callApi('GET /operations', { query }, { signal }),
  ])
  return [
    {
      title: t('shell.nav.installations'),
      hits: installations.items.map(({ installation, title, state }) => ({
        id: installation.bundleInstallId,
        title: title ?? installation.bundle.bundleId,
        detail: scopeText(installation),
        icon: installationLook[state].icon,
        to: paths.installation(installation.bundleInstallId),
      })),
    },
    {
      title: t('shell.nav.operations'),
      hits: operations.items.map(({ operationId, operationType, installation, state }) => ({
        id: operationId,
        title: `${t(`vocabulary.type.${operationType}`)} ${installation.bundle.bundleId}`,
        detail: `${scopeText(installation)} · ${operationId.slice(-8)}`,
        icon: operationLook[state].icon,
        to: paths.operation(operationId),
      })),
    },
  ]
}

function scopeText(scope: {
  environmentKey: string
  applicationRuntimeId: string
  workspaceId: number
}): string {
  return `${scope.environmentKey}/${scope.applicationRuntimeId}/${scope.workspaceId}`
}
