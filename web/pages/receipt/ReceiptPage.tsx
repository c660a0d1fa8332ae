import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { OperationReceipt } from '#contract/console-api/shapes.ts'
import { apiQuery } from '../../api/query.ts'
import { InDoubtBadge, InDoubtNotice } from '../../subjects/operations/InDoubt.tsx'
import { operationName } from '../../subjects/operations/operation-texts.ts'
import { useText } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'
import { paths } from '../../addresses/paths.ts'
import { AsOfContext } from '../../ui/as-of.ts'
import { buttonStyle } from '../../ui/button-style.ts'
import { Card, Section } from '../../ui/Card.tsx'
import { cx } from '../../ui/class-names.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { focusHome } from '../../ui/keep-focus.ts'
import { Icon } from '../../ui/Icon.tsx'
import { Mono } from '../../ui/Id.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { OperationBadge } from '../../ui/StateBadge.tsx'
import { Time } from '../../ui/Time.tsx'
import { JsonTree } from '../../ui/value/JsonTree.tsx'
import { ReceiptAssignment } from '../operations/detail/notes/Notes.tsx'
import { OperationSummary } from '../operations/detail/OperationSummary.tsx'
import { FailurePanel } from '../operations/detail/failure/FailurePanel.tsx'
import { PlannedProperties, PlannedResources } from '../operations/detail/PlannedChanges.tsx'
import { timelineOf } from '../operations/detail/calls/timeline.ts'
import { readReceipt, type ReceiptReading, verifySignature } from './read-receipt.ts'

/** Opens the receipt of an operation from a file. Only the public keys are read from the server, and nothing is sent to it. */
export function ReceiptPage() {
  const t = useText()
  const [reading, setReading] = useState<ReceiptReading | null>(null)
  const [name, setName] = useState('')
  const newest = useRef(0)
  const open = async (file: File) => {
    const mine = ++newest.current
    setReading(null)
    setName(file.name)
    const read = await readReceipt(file)
    // a file that was chosen meanwhile is the one to show
    if (mine === newest.current) setReading(read)
  }
  return (
    <Page
      title={t('operations.receipt.title')}
      lead={reading === null && t('operations.receipt.what')}
      trail={[{ label: t('operations.title'), to: paths.operations() }]}
    >
      <div className="space-y-6">
        <div {...focusHome('receipt')}>
          {name === '' ? (
            <Card>
              <EmptyState
                icon="audit"
                title={t('operations.receipt.file')}
                message={t('operations.receipt.about')}
                action={<ChooseFile onOpen={open} />}
              />
            </Card>
          ) : (
            <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <ChooseFile onOpen={open} />
              <span className="min-w-0 text-muted wrap-anywhere">{name}</span>
            </div>
          )}
        </div>
        {reading?.kind === 'refused' && (
          <Notice tone="error" live title={t('operations.receipt.refused')}>
            {t(`operations.receipt.refused.${reading.reason}`)}
          </Notice>
        )}
        {reading?.kind === 'receipt' && (
          <AsOfContext value={Date.parse(reading.receipt.exportedAt)}>
            <Receipt receipt={reading.receipt} signed={reading.signed} />
          </AsOfContext>
        )}
      </div>
    </Page>
  )
}

function ChooseFile({ onOpen }: { onOpen: (file: File) => Promise<void> }) {
  const t = useText()
  return (
    <label
      className={cx(
        buttonStyle({}),
        'cursor-pointer has-focus-visible:outline-2 has-focus-visible:outline-accent',
      )}
    >
      <Icon name="audit" />
      {t('operations.receipt.choose')}
      <input
        id="receipt"
        aria-label={t('operations.receipt.file')}
        type="file"
        accept="application/json,.json"
        className="sr-only"
        onChange={({ target }) => {
          const [file] = target.files ?? []
          if (file !== undefined) void onOpen(file)
        }}
      />
    </label>
  )
}

function Receipt({ receipt, signed }: { receipt: OperationReceipt; signed: string }) {
  const t = useText()
  const { operation, exportedAt, exportedBy, sha256 } = receipt
  return (
    <>
      <Notice tone="ok" live title={t('operations.receipt.intact')}>
        <p>
          {t('operations.receipt.exported', { person: exportedBy.name })} <Time at={exportedAt} exact />
        </p>
        <p className="wrap-anywhere">
          SHA-256 <Mono>{sha256}</Mono>
        </p>
      </Notice>
      <SignatureNotice receipt={receipt} signed={signed} />
      <h2 className="flex flex-wrap items-center gap-3 text-lg font-semibold">
        {operationName(operation, t)}
        <OperationBadge state={operation.state} look="pill" className="text-sm" />
        <InDoubtBadge operation={operation} look="pill" className="text-sm" />
      </h2>
      <InDoubtNotice operation={operation} />
      {operation.failure && (
        <FailurePanel operation={operation} timeline={timelineOf(operation)} failure={operation.failure} />
      )}
      <OperationSummary operation={operation} />
      <ReceiptAssignment operation={operation} />
      <Section title={t('operations.detail.calls')} flush>
        <JsonTree value={operation.stages} label={t('operations.detail.calls')} openDepth={3} />
      </Section>
      <PlannedResources operation={operation} />
      <PlannedProperties operation={operation} />
    </>
  )
}

const TONES = {
  authentic: 'ok',
  forged: 'error',
  foreign: 'warn',
  unsigned: 'warn',
  unknown: 'warn',
} as const

/** Whether this platform has signed the receipt. The file stays in the browser; the keys come from the server. */
function SignatureNotice({ receipt, signed }: { receipt: OperationReceipt; signed: string }) {
  const t = useText()
  const keys = useQuery(apiQuery('GET /platform-keys', {}))
  const { data: authenticity } = useQuery({
    queryKey: ['signature', signed, receipt.signatures, keys.data?.keys],
    queryFn: () => verifySignature(keys.data?.keys ?? [], receipt.signatures, signed),
    enabled: keys.data !== undefined,
  })
  const shown = authenticity ?? (keys.isError ? 'unknown' : null)
  if (shown === null) return null
  return (
    <Notice tone={TONES[shown]} live title={t(`operations.receipt.signature.${shown}`)}>
      {t(`operations.receipt.signature.${shown}.about`)}
    </Notice>
  )
}
