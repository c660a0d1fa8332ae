import { useQuery } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import { freezesCall } from '#contract/console-api/pages/freezes.ts'
import type { Freeze } from '#contract/console-api/shapes.ts'
import { apiQuery } from '../../api/query.ts'
import { paths } from '../../addresses/paths.ts'
import { useMay } from '../../api/session.ts'
import { useWrite } from '../../api/write.ts'
import { ConfirmForm } from '../../forms/dialogs/ConfirmForm.tsx'
import { joinList } from '../../i18n/punctuation.ts'
import { useRichText, useText, type Translate, type TranslateRich } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'
import { useInterruptedAction, type InterruptedAction } from '../../subjects/sign-in/interrupted-action.ts'
import { needsSignIn, SignInAgain } from '../../subjects/sign-in/SignInAgain.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Mono } from '../../ui/Id.tsx'
import { LinkButton } from '../../ui/Link.tsx'
import type { Column } from '../../ui/table/column.ts'
import { QueryTable } from '../../ui/table/QueryTable.tsx'
import { Time } from '../../ui/Time.tsx'
import { showToast } from '../../ui/toast.ts'
import { placeTexts } from './freeze-form.ts'
import { FREEZES, FreezeDialog, targetOf } from './FreezeDialog.tsx'

type Action = { kind: 'edit' | 'delete'; freeze: Freeze } | { kind: 'create' }

/** The times in which changes are refused. */
export function FreezesPage() {
  const t = useText()
  const rich = useRichText()
  const may = useMay('policy:write', 'anywhere')
  const [action, setAction] = useState<Action | null>(null)
  const query = useQuery(apiQuery('GET /freezes', freezesCall))
  const [resumed, setResumed] = useState<InterruptedAction | null>(null)
  const freezes = query.data?.items
  useInterruptedAction(
    freezes === undefined ? null : FREEZES,
    useCallback(
      (left) => {
        // another one is not replaced unseen
        const freeze = freezes?.find((one) => targetOf(one) === left.target)
        if (freeze === undefined) return
        setResumed(left)
        setAction({ kind: 'edit', freeze })
      },
      [freezes],
    ),
  )
  const columns = useMemo(() => freezeColumns(t, rich, may ? setAction : null), [t, rich, may])
  const close = () => {
    setAction(null)
    setResumed(null)
  }
  return (
    <Page
      title={t('freezes.title')}
      lead={t('freezes.about')}
      actions={
        <>
          <LinkButton to={paths.calendar()} icon="calendar">
            {t('calendar.title')}
          </LinkButton>
          {may && (
            <Button variant="primary" icon="plus" onClick={() => setAction({ kind: 'create' })}>
              {t('freezes.create')}
            </Button>
          )}
        </>
      }
    >
      <QueryTable
        label={t('freezes.title')}
        query={query}
        columns={columns}
        rowKey={rowKey}
        skeletonRows={3}
        empty={<EmptyState icon="lock" title={t('freezes.none.title')} message={t('freezes.none')} />}
      />
      {action !== null && action.kind !== 'delete' && (
        <FreezeDialog
          freeze={action.kind === 'edit' ? action.freeze : null}
          resumed={resumed}
          onClose={close}
        />
      )}
      {action?.kind === 'delete' && <DeleteFreeze freeze={action.freeze} onClose={close} />}
    </Page>
  )
}

const rowKey = ({ name }: Freeze) => name

const freezeColumns = (
  t: Translate,
  rich: TranslateRich,
  onAction: ((action: Action) => void) | null,
): Column<Freeze>[] => [
  {
    id: 'name',
    header: t('freezes.field.name'),
    cell: ({ name, message }) => (
      <>
        <span id={`freeze-${name}`} className="font-medium">
          <Mono>{name}</Mono>
        </span>
        <span className="block text-xs whitespace-pre-line text-muted wrap-anywhere">{message}</span>
      </>
    ),
  },
  {
    id: 'places',
    header: t('freezes.field.places'),
    cell: (freeze) => (
      <span className="block whitespace-normal wrap-anywhere">
        <Mono>{joinList(t, placeTexts(freeze))}</Mono>
      </span>
    ),
    width: 'max(10.5rem, 22cqi)',
  },
  {
    id: 'when',
    header: t('freezes.field.when'),
    cell: (freeze) => (
      <span className="block whitespace-normal">
        <span className="block">{stateOf(freeze, t, rich)}</span>
        {whenOf(freeze, t, rich)}
      </span>
    ),
    width: '15rem',
    card: 'wide',
  },
  {
    id: 'blocks',
    header: t('freezes.field.blocks'),
    cell: ({ blocks, allowsRecovery }) => (
      <span className="block whitespace-normal">
        {joinList(
          t,
          blocks.map((kind) => t(`freezes.kind.${kind}`)),
        )}
        {!allowsRecovery && <span className="block text-xs text-muted">{t('freezes.recovery.off')}</span>}
      </span>
    ),
    hideBelow: 'lg',
    card: 'wide',
  },
  ...(onAction === null
    ? []
    : [
        {
          id: 'actions',
          header: t('freezes.field.actions'),
          headerHidden: true,
          cell: (freeze: Freeze) => (
            <span className="flex gap-1 sm:justify-end @max-[40rem]/table:-ml-2">
              <Button
                size="sm"
                variant="quiet"
                of={`freeze-${freeze.name}`}
                onClick={() => onAction({ kind: 'edit', freeze })}
              >
                {t('freezes.edit')}
              </Button>
              <Button
                size="sm"
                variant="dangerQuiet"
                of={`freeze-${freeze.name}`}
                onClick={() => onAction({ kind: 'delete', freeze })}
              >
                {t('freezes.delete')}
              </Button>
            </span>
          ),
          width: '8.5rem',
          card: 'plain' as const,
        },
      ]),
]

/** Its state, and of a weekly one which time that is: that of the others is in their column. */
function stateOf({ active, next, weekly }: Freeze, t: Translate, rich: TranslateRich) {
  if (active !== null)
    return (
      <>
        <Badge tone="doubt" icon="lock" look="plain">
          {t('freezes.state.active')}
        </Badge>
        {weekly !== null && active.until !== null && (
          <span className="block text-xs text-muted">
            {rich('freezes.until', {
              at: <Time at={active.until} exact="minute" inRow />,
            })}
          </span>
        )}
      </>
    )
  if (next !== null)
    return (
      <>
        {t('freezes.state.next')}
        {weekly !== null && (
          <span className="block text-xs text-muted">
            {rich('freezes.from', { at: <Time at={next.from} exact="minute" inRow /> })}
          </span>
        )}
      </>
    )
  return <span className="text-muted">{t('freezes.state.over')}</span>
}

function whenOf({ from, to, weekly, timeZone }: Freeze, t: Translate, rich: TranslateRich) {
  if (weekly !== null)
    return t('freezes.weekly', {
      days: joinList(
        t,
        weekly.days.map((day) => t(`freezes.day.${day}`)),
      ),
      from: weekly.from,
      to: weekly.to,
      zone: timeZone,
    })
  return rich('freezes.once', {
    from: <Time at={from ?? ''} exact="minute" inRow />,
    to: <Time at={to ?? ''} exact="minute" inRow />,
  })
}

function DeleteFreeze({ freeze, onClose }: { freeze: Freeze; onClose: () => void }) {
  const t = useText()
  const remove = useWrite('DELETE /freezes/{name}', {
    invalidates: [
      'GET /freezes',
      'GET /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/restrictions',
    ],
  })
  return (
    <ConfirmForm
      danger
      onClose={onClose}
      title={t('freezes.delete.title', { name: freeze.name })}
      confirm={t('freezes.delete')}
      errorActions={(code) => needsSignIn(code) && <SignInAgain keep={() => true} />}
      send={async () => {
        await remove.mutateAsync({ params: { name: freeze.name } })
        showToast({ text: t('freezes.deleted') })
        onClose()
      }}
    >
      <p>{t('freezes.delete.text')}</p>
    </ConfirmForm>
  )
}
