import type { ComponentType } from 'react'
import { lazyWithRetry } from '../load-with-retry.ts'
import type { PageNamespace } from '../i18n/catalogue.ts'
import { loadTexts } from '../i18n/locale.ts'

/**
 * A lazy component that contains a form. Its code, the form library and the form texts load when it is first
 * shown, so that pages do not load them for forms that nobody opens.
 */
export function lazyForm<Props>(
  load: () => Promise<ComponentType<Props>>,
  texts: readonly PageNamespace[] = [],
) {
  return lazyWithRetry(async () => {
    const [form] = await Promise.all([load(), loadTexts(['forms', ...texts])])
    return { default: form }
  })
}
