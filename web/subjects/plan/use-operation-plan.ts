import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import type { OperationPlan } from '#contract/console-api/shapes.ts'
import { ApiError, callApi, type Call } from '../../api/client.ts'
import { invalidateEndpoints } from '../../api/query.ts'
import type { FieldId } from '../../forms/property/property-place.ts'
import type { PropertyFormValues } from '../../forms/property/property-edit.ts'
import { PAUSE_MS } from './use-settled.ts'

type PlanName =
  | 'POST /installations/plan'
  | 'POST /installations/{bundleInstallId}/upgrade/plan'
  | 'POST /installations/{bundleInstallId}/detach/plan'
  | 'POST /operations/{operationId}/takeover/plan'

export interface OperationPlanState<Request> {
  plan: OperationPlan | undefined
  error: unknown
  isChecking: boolean
  refetch: () => void
  /**
   * Sends a write with the token of the plan for exactly this request. If the plan is stale, it is fetched again and
   * the refusal is rethrown.
   */
  send: <Result>(
    request: Request,
    write: (token: { planToken?: string }) => Promise<Result>,
  ) => Promise<Result>
}

/**
 * What an operation would do, fetched again when the request changes.
 *
 * @param call The request, or null while it is incomplete.
 */
export function useOperationPlan<Name extends PlanName>(
  name: Name,
  call: Call<Name> | null,
): OperationPlanState<Call<Name>> {
  const client = useQueryClient()
  const queryOf = (request: Call<Name> | null) => ({
    queryKey: [name, request] as const,
    queryFn: ({ signal }: { signal?: AbortSignal }): Promise<OperationPlan> => {
      if (request === null) throw new TypeError('A plan needs a request')
      return callApi(name, request, { ...(signal && { signal }) })
    },
    // a plan may contain values that must not outlive the page
    gcTime: 0,
    staleTime: 0,
  })
  const query = useQuery({ ...queryOf(call), enabled: call !== null, placeholderData: keepPreviousData })
  return {
    plan: call === null ? undefined : query.data,
    error: query.error,
    isChecking: query.isFetching,
    refetch: () => void query.refetch(),
    send: async (request, write) => {
      const isShown = !query.isFetching && JSON.stringify(request) === JSON.stringify(call)
      const plan = isShown && query.data ? query.data : await client.fetchQuery(queryOf(request))
      try {
        return await write(plan.planToken === null ? {} : { planToken: plan.planToken })
      } catch (error) {
        if (error instanceof ApiError && error.problem.code === 'PLAN_STALE')
          void invalidateEndpoints(client, [name])
        throw error
      }
    },
  }
}

/**
 * The edits of a form once nobody has typed for a moment, so that a key does not render the whole form.
 *
 * @param isHidden whether the field of an edit hides its saved value. Each plan with another value for it is counted, so
 *   it settles only when the focus leaves it.
 */
export function useSettledEdits<Values extends PropertyFormValues>(
  { subscribe, getValues }: UseFormReturn<Values>,
  isHidden: (id: FieldId) => boolean = () => false,
): PropertyFormValues {
  const [edits, setEdits] = useState<PropertyFormValues['edits']>(() => getValues().edits)
  const hides = useRef(isHidden)
  useEffect(() => {
    hides.current = isHidden
  })
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let settled = getValues().edits
    let latest = settled
    const settle = () => {
      settled = latest
      setEdits(latest)
    }
    const isTypingSecret = () => {
      const changed = Object.keys(latest).filter((id) => latest[id] !== settled[id])
      return changed.some((id) => hides.current(id)) && isTyping()
    }
    const onBlur = () => {
      // the focus may have moved within the field
      clearTimeout(timer)
      timer = setTimeout(() => settle(), PAUSE_MS)
    }
    const unsubscribe = subscribe({
      formState: { values: true },
      callback: ({ values }) => {
        latest = values.edits
        clearTimeout(timer)
        timer = setTimeout(() => {
          if (isTypingSecret()) document.addEventListener('focusout', onBlur, { once: true })
          else settle()
        }, PAUSE_MS)
      },
    })
    return () => {
      clearTimeout(timer)
      document.removeEventListener('focusout', onBlur)
      unsubscribe()
    }
  }, [subscribe, getValues])
  return { edits }
}

const isTyping = (): boolean => document.activeElement?.matches('input, textarea, [role="textbox"]') === true
