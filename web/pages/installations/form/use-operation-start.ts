import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Operation } from '#contract/console-api/shapes.ts'
import type { Problem } from '#contract/console-api/problem.ts'
import type { ApiError } from '../../../api/client.ts'
import { paths } from '../../../paths.ts'
import { goToField } from './go-to-field.ts'
import type { FormResource } from './property-form.ts'
import type { PropertyEdits } from './use-property-edits.ts'

/** What sending a form and its answer do: to the first wrong field, to the operation, or the refusal at its fields. */
export function useOperationStart(form: readonly FormResource[], values: PropertyEdits) {
  const navigate = useNavigate()
  const [others, setOthers] = useState<NonNullable<Problem['details']>>([])
  return {
    /** Problems of the refusal that stand at no field. */
    others,
    /** Whether it can be sent as it is; else it goes to the first field that is wrong. */
    check: (): boolean => {
      const [first] = values.check(form)
      if (first !== undefined) goToField(first.id)
      else setOthers([])
      return first === undefined
    },
    answers: {
      onSuccess: ({ operation }: { operation: Operation }) =>
        void navigate(paths.operation(operation.operationId)),
      onError: ({ problem }: ApiError) => setOthers(values.take(problem.details ?? [], form)),
    },
  }
}
