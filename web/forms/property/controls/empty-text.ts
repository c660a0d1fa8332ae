import { createContext, use } from 'react'
import { useText } from '../../../i18n/use-text.ts'

/** Whether the property has no value, or has one that is not known here: a batch has one field for different values. */
export const EmptyText = createContext<'forms.notSet' | 'forms.notShown'>('forms.notSet')

/** What a control says that shows no value. */
export function useEmptyText(): string {
  const t = useText()
  return t(use(EmptyText))
}
