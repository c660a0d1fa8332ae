import { useQuery } from '@tanstack/react-query'
import { Fragment, Suspense, useCallback, useId, useMemo, useState } from 'react'
import { serviceAccountsCall } from '#contract/console-api/pages/sessions.ts'
import type { ServiceAccount, ServiceAccountToken } from '#contract/console-api/shapes.ts'
import { apiQuery } from '../../api/query.ts'
import { useMay, useSession } from '../../api/session.ts'
import { lazyPart } from '../../base/lazy-part.ts'
import { useErrorView } from '../../i18n/describe-code.ts'
import { useRichText, useText, type Translate, type TranslateRich } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'
import { roleName } from '../../subjects/people/role-name.ts'
import { scopeText } from '../../subjects/scopes/scope-text.ts'
import { useInterruptedAction, type InterruptedAction } from '../../subjects/sign-in/interrupted-action.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card, Section } from '../../ui/Card.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { Id, Mono } from '../../ui/Id.tsx'
import { SkeletonLines } from '../../ui/Skeleton.tsx'
import type { Column } from '../../ui/table/column.ts'
import { Table } from '../../ui/table/Table.tsx'
import { Time } from '../../ui/Time.tsx'
import { actionOf, SERVICE_ACCOUNTS, type AccountAction } from './account-action.ts'

const AccountActionDialog = lazyPart(
  async () => (await import('./AccountActionDialog.tsx')).AccountActionDialog,
)
const RolesDialog = lazyPart(async () => (await import('./RolesDialog.tsx')).RolesDialog)

const MAX_VALID = 2

/** The identities of programs, with their tokens: when each was created and last used, never its text. */
export function ServiceAccountsPage() {
  const t = useText()
  const session = useSession()
  const may = useMay('account:write', 'everywhere')
  const query = useQuery({ ...apiQuery('GET /service-accounts', serviceAccountsCall), enabled: may })
  const error = useErrorView(query.error)
  const [action, setAction] = useState<AccountAction | null>(null)
  const [resumed, setResumed] = useState<InterruptedAction | null>(null)
  const accounts = query.data?.items
  useInterruptedAction(
    accounts === undefined ? null : SERVICE_ACCOUNTS,
    useCallback(
      (left) => {
        setResumed(left)
        setAction(actionOf(left, accounts ?? []))
      },
      [accounts],
    ),
  )
  const close = () => {
    setAction(null)
    setResumed(null)
  }
  const isForbidden = session.data !== undefined && !may
  return (
    <Page
      title={t('accounts.title')}
      lead={t('accounts.about')}
      actions={
        may && (
          <Button variant="primary" icon="plus" onClick={() => setAction({ kind: 'create' })}>
            {t('accounts.create')}
          </Button>
        )
      }
    >
      {isForbidden ? (
        <Card padded={false}>
          <EmptyState icon="lock" title={t('accounts.forbidden.title')} message={t('accounts.forbidden')} />
        </Card>
      ) : error !== null && accounts === undefined ? (
        <ErrorState error={error} onRetry={() => void query.refetch()} />
      ) : accounts === undefined ? (
        <SkeletonLines lines={4} />
      ) : accounts.length === 0 ? (
        <Card padded={false}>
          <EmptyState icon="key" title={t('accounts.none.title')} message={t('accounts.none')} />
        </Card>
      ) : (
        <div className="space-y-8">
          {accounts.map((account) => (
            <Account
              key={account.accountId}
              account={account}
              now={query.dataUpdatedAt}
              onAction={setAction}
            />
          ))}
        </div>
      )}
      <Suspense>
        {action?.kind === 'create' || action?.kind === 'roles' ? (
          <RolesDialog
            account={action.kind === 'roles' ? action.account : null}
            resumed={resumed}
            onClose={close}
          />
        ) : (
          action && <AccountActionDialog action={action} isResumed={resumed !== null} onClose={close} />
        )}
      </Suspense>
    </Page>
  )
}

function Account({
  account,
  now,
  onAction,
}: {
  account: ServiceAccount
  /** When it was read. */
  now: number
  onAction: (action: AccountAction) => void
}) {
  const t = useText()
  const rich = useRichText()
  const nameId = useId()
  const valid = account.tokens.filter((token) => isValid(token, now)).length
  const columns = useMemo(
    () => tokenColumns(t, rich, now, (token) => onAction({ kind: 'revoke', account, token })),
    [t, rich, now, account, onAction],
  )
  return (
    <Section
      flush
      title={<span id={nameId}>{account.name}</span>}
      description={<RoleList roles={account.roles} />}
      actions={
        <>
          <Button
            size="sm"
            icon="key"
            disabledReason={valid >= MAX_VALID && t('accounts.two')}
            of={nameId}
            onClick={() => onAction({ kind: 'token', account })}
          >
            {t('accounts.token.create')}
          </Button>
          <Button size="sm" icon="edit" of={nameId} onClick={() => onAction({ kind: 'roles', account })}>
            {t('accounts.roles.change')}
          </Button>
          <Button
            size="sm"
            variant="dangerQuiet"
            of={nameId}
            onClick={() => onAction({ kind: 'delete', account })}
          >
            {t('accounts.delete')}
          </Button>
        </>
      }
    >
      <Table
        label={t('accounts.tokens', { account: account.name })}
        columns={columns}
        rows={account.tokens}
        rowKey={rowKey}
        // it stands between other accounts
        empty={<p className="px-4 py-3 text-muted">{t('accounts.tokens.none')}</p>}
      />
    </Section>
  )
}

/** Roles in words, each with where it applies. */
function RoleList({ roles }: { roles: ServiceAccount['roles'] }) {
  const t = useText()
  const rich = useRichText()
  return roles.map(({ role, scope }, at) => {
    const name = roleName(role, t)
    const place = scope === null ? null : 'workspaceId' in scope ? scopeText(scope) : scope.environmentKey
    return (
      <Fragment key={`${role}@${place}`}>
        {at > 0 && t('common.punctuation.list')}
        {place === null
          ? t('accounts.role.everywhere', { role: name })
          : rich('accounts.role.in', { role: name, scope: <Mono>{place}</Mono> })}
      </Fragment>
    )
  })
}

const rowKey = ({ tokenId }: ServiceAccountToken) => tokenId

const isValid = ({ revokedAt, expiresAt }: ServiceAccountToken, now: number): boolean =>
  revokedAt === null && Date.parse(expiresAt) > now

const WEEK_MS = 7 * 86_400_000
const VALID = { tone: 'ok', icon: 'done' } as const
const ENDS_SOON = { tone: 'doubt', icon: 'warning' } as const

const endsSoon = ({ expiresAt }: ServiceAccountToken, now: number): boolean =>
  Date.parse(expiresAt) < now + WEEK_MS

const tokenColumns = (
  t: Translate,
  rich: TranslateRich,
  now: number,
  revoke: (token: ServiceAccountToken) => void,
): Column<ServiceAccountToken>[] => [
  { id: 'token', header: t('accounts.token'), cell: ({ tokenId }) => <Id id={tokenId} copy /> },
  {
    id: 'state',
    header: t('accounts.state'),
    cell: (token) =>
      token.revokedAt !== null ? (
        <Badge look="plain" icon="nothing">
          {rich('accounts.revoked', { at: <Time at={token.revokedAt} inRow /> })}
        </Badge>
      ) : isValid(token, now) ? (
        <Badge look="plain" {...(endsSoon(token, now) ? ENDS_SOON : VALID)}>
          {rich('accounts.expires', { at: <Time at={token.expiresAt} inRow /> })}
        </Badge>
      ) : (
        <Badge look="plain" icon="nothing">
          {rich('accounts.expired', { at: <Time at={token.expiresAt} inRow /> })}
        </Badge>
      ),
    card: 'wide',
  },
  {
    id: 'created',
    header: t('accounts.created'),
    cell: ({ createdAt, createdBy }) => (
      <span>{rich('accounts.createdBy', { at: <Time at={createdAt} inRow />, person: createdBy.name })}</span>
    ),
    hideBelow: 'lg',
  },
  {
    id: 'used',
    header: t('accounts.used'),
    cell: ({ lastUsedAt }) =>
      lastUsedAt === null ? (
        <span className="text-faint">{t('accounts.never')}</span>
      ) : (
        <Time at={lastUsedAt} inRow />
      ),
  },
  {
    id: 'actions',
    header: t('accounts.actions'),
    headerHidden: true,
    align: 'end',
    card: 'wide',
    width: '7rem',
    cell: (token) =>
      isValid(token, now) && (
        <Button size="sm" variant="dangerQuiet" onClick={() => revoke(token)}>
          {t('accounts.revoke')}
        </Button>
      ),
  },
]
