import { zodResolver } from '@hookform/resolvers/zod'
import { useEffect, useEffectEvent, useMemo, useRef } from 'react'
import {
  useForm,
  type DefaultValues,
  type FieldPath,
  type FieldValues,
  type UseFormReturn,
} from 'react-hook-form'
import { config, type ZodMiniType } from 'zod/mini'

// zod would compile its checks with `new Function`, which the Content-Security-Policy forbids
config({ jitless: true })

/**
 * A form that is validated with a schema on submit, and on every change after that. The schema's messages are in the
 * current language: another language has another schema, and the form is validated again.
 */
export function useZodForm<Values extends FieldValues>(
  schema: ZodMiniType<Values, Values>,
  {
    defaultValues,
    mode = 'onSubmit',
  }: {
    defaultValues: DefaultValues<Values>
    /** `onChange` validates while the first value is typed. */
    mode?: 'onSubmit' | 'onChange'
  },
): UseFormReturn<Values> {
  const resolver = useMemo(() => zodResolver(schema), [schema])
  // `Form` focuses the first invalid field, in page order
  const form = useForm<Values>({ defaultValues, mode, resolver, shouldFocusError: false })
  const findErrorsAgain = useEffectEvent((changed?: string) => {
    const names = Object.entries(form.formState.errors)
      .filter(([name, error]) => name !== changed && error?.type !== 'server')
      // the keys of the errors are field names
      .map(([name]) => name as FieldPath<Values>)
    if (names.length > 0) void form.trigger(names)
  })
  const checkedWith = useRef(schema)
  useEffect(() => {
    if (checkedWith.current === schema) return
    checkedWith.current = schema
    findErrorsAgain()
  }, [schema])
  // a change validates its own field only; the error of a rule about several fields may be at another one
  const { subscribe } = form
  useEffect(
    () =>
      subscribe({
        formState: { values: true },
        callback: ({ name, type }) => {
          if (type === 'change') findErrorsAgain(name)
        },
      }),
    [subscribe],
  )
  return form
}

/** The reason to send; omitted when empty. */
export function reasonIn({ reason }: { reason: string }): { reason?: string } {
  const text = reason.trim()
  return text === '' ? {} : { reason: text }
}
