import { useCallback, useMemo, useState } from 'react'
import type { Plugin, PluginCredential } from '#contract/console-api/shapes.ts'
import { useInterruptedAction, type InterruptedAction } from '../../subjects/sign-in/interrupted-action.ts'
import { useRichText, useText, type Translate, type TranslateRich } from '../../i18n/use-text.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Id } from '../../ui/Id.tsx'
import type { Column } from '../../ui/table/column.ts'
import { Table } from '../../ui/table/Table.tsx'
import { Time } from '../../ui/Time.tsx'
import { CreateCredentialDialog, RevokeCredentialDialog } from './CredentialDialogs.tsx'
import { credentialsOf, validCredentials } from './plugin-limits.ts'

const MAX_VALID = 2

/** The credentials of a plugin: when each was created and last used, never its secret. */
export function Credentials({ plugin, may }: { plugin: Plugin; may: boolean }) {
  const t = useText()
  const rich = useRichText()
  const [creating, setCreating] = useState(false)
  const [revoking, setRevoking] = useState<PluginCredential | null>(null)
  const columns = useMemo(() => credentialColumns(t, rich, may, setRevoking), [t, rich, may])
  const valid = validCredentials(plugin)
  const [resumed, setResumed] = useState<InterruptedAction | null>(null)
  const { credentials } = plugin
  useInterruptedAction(
    credentialsOf(plugin),
    useCallback(
      (action) => {
        const revoked = credentials.find(({ credentialId }) => credentialId === action.target) ?? null
        setResumed(action)
        if (action.target === '') setCreating(true)
        // somebody else may have revoked it meanwhile
        else if (revoked?.revokedAt === null) setRevoking(revoked)
      },
      [credentials],
    ),
  )
  return (
    <>
      <div className="mb-3 flex flex-wrap items-start justify-between gap-3">
        <p className="max-w-[72ch] text-muted">{t('plugins.credentials.about')}</p>
        <Button
          icon="key"
          disabledReason={
            (!may && t('plugins.reason.permission')) || (valid >= MAX_VALID && t('plugins.credentials.two'))
          }
          onClick={() => setCreating(true)}
        >
          {t('plugins.credentials.create')}
        </Button>
      </div>
      <Table
        label={t('plugins.tab.credentials')}
        columns={columns}
        rows={plugin.credentials}
        rowKey={rowKey}
        empty={
          <EmptyState
            icon="key"
            title={t('plugins.credentials.none.title')}
            message={t('plugins.credentials.none.message')}
          />
        }
      />
      {creating && (
        <CreateCredentialDialog
          plugin={plugin}
          resumed={resumed}
          onClose={() => {
            setCreating(false)
            setResumed(null)
          }}
        />
      )}
      {revoking && (
        <RevokeCredentialDialog
          plugin={plugin}
          credential={revoking}
          isLast={valid === 1}
          isResumed={resumed?.target === revoking.credentialId}
          onClose={() => {
            setRevoking(null)
            setResumed(null)
          }}
        />
      )}
    </>
  )
}

const rowKey = ({ credentialId }: PluginCredential) => credentialId

const credentialColumns = (
  t: Translate,
  rich: TranslateRich,
  may: boolean,
  revoke: (credential: PluginCredential) => void,
): Column<PluginCredential>[] => [
  {
    id: 'credential',
    header: t('plugins.credentials.id'),
    cell: ({ credentialId }) => <Id id={credentialId} copy />,
  },
  {
    id: 'state',
    header: t('plugins.credentials.state'),
    cell: ({ revokedAt }) =>
      revokedAt === null ? (
        <Badge look="plain" tone="ok" icon="done">
          {t('plugins.credentials.valid')}
        </Badge>
      ) : (
        <Badge look="plain" icon="nothing">
          {rich('plugins.credentials.revoked', { at: <Time at={revokedAt} inRow /> })}
        </Badge>
      ),
  },
  {
    id: 'made',
    header: t('plugins.credentials.created'),
    cell: ({ createdAt }) => <Time at={createdAt} inRow />,
  },
  {
    id: 'used',
    header: t('plugins.credentials.used'),
    cell: ({ lastUsedAt }) =>
      lastUsedAt === null ? (
        <span className="text-faint">{t('plugins.credentials.never')}</span>
      ) : (
        <Time at={lastUsedAt} inRow />
      ),
  },
  {
    id: 'actions',
    header: t('plugins.credentials.actions'),
    headerHidden: true,
    align: 'end',
    card: 'wide',
    width: '7rem',
    cell: (credential) =>
      credential.revokedAt === null && (
        <Button
          size="sm"
          variant="dangerQuiet"
          disabledReason={!may && t('plugins.reason.permission')}
          onClick={() => revoke(credential)}
        >
          {t('plugins.credentials.revoke')}
        </Button>
      ),
  },
]
