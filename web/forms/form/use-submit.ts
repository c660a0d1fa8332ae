import { useState } from 'react'
import type { FieldPath, FieldValues, UseFormReturn } from 'react-hook-form'
import { ApiError } from '../../api/client.ts'
import { useText } from '../../i18n/use-text.ts'
import { placedError } from '../property/translate-error.ts'
import { pathInField, placeDetails, type Detail, type SubmitError } from './server-errors.ts'

/**
 * Sends a form and assigns the server's errors: to their fields, or to `error` if there is no field. The form always
 * keeps its values.
 *
 * @param send Sends the values; rejects with an ApiError when they are refused or no response arrives.
 * @param fieldOf The field that an error detail belongs to; null for none.
 */
export function useSubmit<Values extends FieldValues>(
  form: UseFormReturn<Values>,
  send: (values: Values) => Promise<unknown>,
  fieldOf: (detail: Detail) => FieldPath<Values> | null,
): {
  onSubmit: (values: Values) => Promise<void>
  busy: boolean
  error: SubmitError | null
  clearError: () => void
} {
  const t = useText()
  const [error, setError] = useState<SubmitError | null>(null)
  const refuse = (refusal: ApiError): SubmitError => {
    const { placed, unplaced } = placeDetails(refusal.problem.details ?? [], fieldOf)
    for (const [name, details] of placed) {
      const message = details
        .map((detail) => placedError({ ...detail, path: pathInField(detail) }, t))
        .join(t('common.punctuation.semicolon'))
      form.setError(name, { type: 'server', message })
    }
    return { error: refusal, unplaced, isAtFields: placed.size > 0 && unplaced.length === 0 }
  }
  return {
    onSubmit: async (values) => {
      setError(null)
      try {
        await send(values)
      } catch (thrown) {
        if (!(thrown instanceof ApiError)) throw thrown
        setError(refuse(thrown))
      }
    },
    busy: form.formState.isSubmitting,
    error,
    clearError: () => setError(null),
  }
}
