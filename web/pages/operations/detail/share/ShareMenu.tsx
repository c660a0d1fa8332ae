import { useState } from 'react'
import { useMutation } from '@tanstack/react-query'
import { operationCall } from '#contract/console-api/pages/operations.ts'
import type { OperationDetail } from '#contract/console-api/shapes.ts'
import { callApi } from '../../../../api/client.ts'
import { useMay } from '../../../../api/session.ts'
import { errorView } from '../../../../i18n/describe-code.ts'
import { useText } from '../../../../i18n/use-text.ts'
import { loadWithRetry } from '../../../../base/load-with-retry.ts'
import { Button } from '../../../../ui/Button.tsx'
import { Menu, MenuItem } from '../../../../ui/Menu.tsx'
import { CopyByHand } from '../../../../ui/CopyButton.tsx'
import { copyText } from '../../../../ui/copy-text.ts'
import { saveFile } from '../../../../ui/save-file.ts'
import { showToast } from '../../../../ui/toast.ts'
import { failurePointOf, timelineOf } from '../calls/timeline.ts'
import { answeredOperation } from '../failure/response-differences.ts'
import { receiptCommand } from './receipt-command.ts'

const loadMarkdown = () => loadWithRetry(() => import('./markdown.ts'))
// choosing the item tries again after a failure
const prepare = () => void import('./markdown.ts').catch(() => undefined)

/** Shares the page as an address, as text for a ticket, or as a file. */
export function ShareMenu({ operation }: { operation: OperationDetail }) {
  const t = useText()
  const mayExport = useMay('operation:export', operation.installation)
  const download = useDownload(operation)
  const [byHand, setByHand] = useState<string | null>(null)
  const copy = async (text: string | Promise<string>, copied = t('operations.share.copied')) => {
    // a failure to prepare the text is one to copy it
    const plain = Promise.resolve(text)
    const isCopied = await copyText(typeof text === 'string' ? text : plain).catch(() => false)
    if (isCopied) return showToast({ text: copied })
    const left = await plain.catch(() => null)
    if (left === null) showToast({ tone: 'error', text: t('operations.share.copyFailed') })
    else setByHand(left)
  }
  const markdown = async () => {
    const link = location.href
    const { operationId, state } = operation
    const answered = answeredOperation(
      failurePointOf(timelineOf(operation), operation)?.bar?.attempt.response,
    )
    const [{ operationMarkdown }, isReplayed, context] = await Promise.all([
      loadMarkdown(),
      answered !== null &&
        callApi('GET /operations/{operationId}', operationCall(answered)).then(
          () => true,
          () => false,
        ),
      state === 'FAILED' || state === 'WAITING'
        ? // a ticket without what changed is better than none
          callApi('GET /operations/{operationId}/context', { params: { operationId } }).catch(() => undefined)
        : undefined,
    ])
    return operationMarkdown(operation, { t, link, context, isReplayed })
  }
  return (
    <>
      <Menu
        label={t('operations.share.label')}
        renderTrigger={(props) => (
          <Button
            {...props}
            icon="link"
            busy={download.isPending}
            onPointerEnter={prepare}
            onPointerDown={prepare}
            onFocus={prepare}
          >
            <span className="max-sm:sr-only">{t('operations.share.label')}</span>
          </Button>
        )}
      >
        <MenuItem icon="link" onSelect={() => void copy(location.href)}>
          {t('operations.share.link')}
        </MenuItem>
        <MenuItem icon="copy" onSelect={() => void copy(markdown())}>
          {t('operations.share.markdown')}
        </MenuItem>
        <MenuItem
          icon="copy"
          disabledReason={mayExport ? null : t('operations.action.export.permission')}
          onSelect={() =>
            void copy(
              receiptCommand(location.origin, operation.operationId),
              t('operations.share.curlCopied'),
            )
          }
        >
          {t('operations.share.curl')}
        </MenuItem>
        <MenuItem
          icon="download"
          disabledReason={mayExport ? null : t('operations.action.export.permission')}
          onSelect={() => download.mutate()}
        >
          {t('operations.share.bundle')}
        </MenuItem>
      </Menu>
      {byHand !== null && <CopyByHand text={byHand} onClose={() => setByHand(null)} />}
    </>
  )
}

/** Downloads the receipt. It is not cached: each one says when it was exported. */
function useDownload({ operationId, installation }: OperationDetail) {
  return useMutation({
    mutationFn: () => callApi('GET /operations/{operationId}/receipt', { params: { operationId } }),
    onSuccess: (receipt) => {
      const bundle = installation.bundle.bundleId.replaceAll(/[^\w.-]/g, '_')
      saveFile(`receipt-${bundle}-${operationId}.json`, JSON.stringify(receipt, null, 2), 'application/json')
    },
    onError: (error) => showToast({ tone: 'error', text: errorView(error).message }),
  })
}
