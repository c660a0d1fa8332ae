import { useWatch, type UseFormReturn } from 'react-hook-form'
import { ApiError } from '../../api/client.ts'
import { useMay } from '../../api/session.ts'
import type { ScopeKey } from '../../addresses/paths.ts'
import { editsIn } from '../../forms/property/property-edit.ts'
import { errorView } from '../../i18n/describe-code.ts'
import { useText } from '../../i18n/use-text.ts'
import { Button } from '../../ui/Button.tsx'
import { showToast } from '../../ui/toast.ts'
import type { OperationValues } from '../operation-form/use-operation-form.ts'
import { useRequestReview, type Proposal } from './use-request-review.ts'

/**
 * Stores what a form has as a draft on the server, also without values that it still needs, and opens it. Input that is not a value
 * yet cannot be stored.
 */
export function ShareDraft({
  form: { control, getValues },
  scope,
  proposalOf,
  blockedReason,
  onShared,
}: {
  form: UseFormReturn<OperationValues>
  /** Null before one is chosen. */
  scope: ScopeKey | null
  /** Null before it can be made. */
  proposalOf: (values: OperationValues) => Proposal | null
  blockedReason: string | false | null | undefined
  onShared: () => void
}) {
  const t = useText()
  const may = useMay('change:propose', scope ?? 'anywhere')
  const review = useRequestReview()
  const isUnfinished = useWatch({
    control,
    compute: (values) => [...editsIn(values).values()].some(({ kind }) => kind === 'unfinished'),
  })
  if (!may) return null
  const share = async () => {
    const made = proposalOf(getValues())
    if (made === null) return
    try {
      await review.request(made, { submit: false, beforeLeaving: onShared })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      showToast({ tone: 'error', text: errorView(error).message })
    }
  }
  return (
    <Button
      busy={review.pending !== null}
      disabledReason={blockedReason || (isUnfinished && t('changes.share.unfinished'))}
      title={t('changes.share.about')}
      onClick={() => void share()}
    >
      {t('changes.share')}
    </Button>
  )
}
