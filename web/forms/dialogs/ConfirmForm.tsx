import { useId, useMemo, useRef, type ReactNode } from 'react'
import { useWatch } from 'react-hook-form'
import * as z from 'zod/mini'
import { useRichText, useText, type Translate } from '../../i18n/use-text.ts'
import { Button } from '../../ui/Button.tsx'
import { ReasonField } from '../fields/ReasonField.tsx'
import { TextField } from '../fields/TextField.tsx'
import { FormDialog } from './FormDialog.tsx'
import { fieldOfRequest } from '../form/server-errors.ts'
import { useSubmit } from '../form/use-submit.ts'
import { useZodForm } from '../form/use-zod-form.ts'

const NAMES = ['reason', 'word'] as const

const confirmSchema = (
  { isReasonRequired, word }: { isReasonRequired: boolean; word: string | undefined },
  t: Translate,
) =>
  z.object({
    reason: z
      .string()
      .check(z.refine((text) => !isReasonRequired || text.trim() !== '', t('common.confirm.reasonMissing'))),
    word: z
      .string()
      .check(
        z.refine(
          (text) => word === undefined || text.trim() === word,
          t('common.confirm.type', { word: word ?? '' }),
        ),
      ),
  })

/** What has changed since a person opened a dialog: what to show, and why nothing can be confirmed. */
export interface ConfirmChange {
  notice: ReactNode
  reason: string
}

/**
 * Confirms an action with consequences: asks for a reason, and for a word to be typed when the action cannot be undone.
 * It stays open until `send` has succeeded, and shows the error if it fails.
 */
export function ConfirmForm({
  title,
  children,
  plan,
  confirm,
  danger = false,
  reason,
  word,
  change = null,
  initialReason = '',
  blockedReason,
  errorActions,
  send,
  onClose,
}: {
  title: ReactNode
  /** Says what will happen, and what cannot be undone; a screen reader reads it with the title. */
  children: ReactNode
  /** What will happen in detail, below the description. */
  plan?: ReactNode
  /** The button's label: the action, not "OK". */
  confirm: string
  danger?: boolean
  /** The label of the reason field; without it, no reason is asked for. */
  reason?: { label: string; required: boolean }
  /** A word that must be typed to confirm. */
  word?: string
  /**
   * Shown, and nothing can be confirmed; what was typed stays. Ignored while the form is sent, because the event of this
   * request may arrive before the response.
   */
  change?: ConfirmChange | null
  /** What the person had typed before; the word was typed too, because the form cannot be sent without it. */
  initialReason?: string
  /** Why it cannot be confirmed, whatever is entered. */
  blockedReason?: string | null
  /** What the person can do about an error with this code. */
  errorActions?: (code: string, reason: string) => ReactNode
  /** Performs the action; rejects with an ApiError. The reason is trimmed, and empty if none was entered. */
  send: (answer: { reason: string }) => Promise<unknown>
  onClose: () => void
}) {
  const t = useText()
  const rich = useRichText()
  const id = useId()
  const isReasonRequired = reason?.required === true
  const schema = useMemo(() => confirmSchema({ isReasonRequired, word }, t), [isReasonRequired, word, t])
  const form = useZodForm(schema, {
    defaultValues: { reason: initialReason, word: initialReason === '' ? '' : (word ?? '') },
  })
  const { control } = form
  const submit = useSubmit(form, (values) => send({ reason: values.reason.trim() }), fieldOfRequest(NAMES))
  const [typedReason, typedWord] = useWatch({ control, name: NAMES })
  const hasReason = typedReason.trim() !== ''
  const current = submit.busy ? null : change
  const notice = useRef<HTMLDivElement>(null)
  return (
    <FormDialog
      form={form}
      {...submit}
      title={title}
      describedBy={id}
      submit={confirm}
      danger={danger}
      // not even a press or Enter may send what the person has not reviewed
      blockedReason={current?.reason ?? blockedReason}
      footerNote={
        current && (
          // the notice may be scrolled away, and moving the content would take away what the person is typing in
          <p className="flex flex-wrap items-center gap-x-2 font-medium">
            {current.reason}
            <Button
              variant="quiet"
              size="sm"
              onClick={() => notice.current?.scrollIntoView({ block: 'nearest' })}
            >
              {t('common.confirm.showChange')}
            </Button>
          </p>
        )
      }
      incompleteReason={
        (isReasonRequired && !hasReason && t('common.confirm.reasonMissing')) ||
        (word !== undefined && typedWord.trim() !== word && t('common.confirm.type', { word }))
      }
      // losing the typed word does not matter
      isDirty={hasReason}
      errorActions={submit.error && errorActions?.(submit.error.error.problem.code, typedReason)}
      onClose={onClose}
    >
      <div className="space-y-4">
        {current && <div ref={notice}>{current.notice}</div>}
        <div id={id} className="space-y-2">
          {children}
        </div>
        {plan}
      </div>
      {reason && (
        <ReasonField
          control={control}
          label={reason.label}
          need={reason.required ? 'required' : 'optional'}
          rows={3}
        />
      )}
      {word !== undefined && (
        <TextField
          control={control}
          name="word"
          kind="code"
          need="required"
          label={rich('common.confirm.type', { word: <span className="mono font-semibold">{word}</span> })}
        />
      )}
    </FormDialog>
  )
}
