import type { ComponentType } from 'react'
import { lazyWithRetry } from '../load-with-retry.ts'
import { loadTexts } from '../i18n/locale.ts'

/**
 * A part of a page that holds a form. Its code comes when it is first shown, and with it the form library and the texts of
 * forms, so that pages do not pay for forms that nobody opens.
 */
export function lazyForm<Props>(load: () => Promise<ComponentType<Props>>) {
  return lazyWithRetry(async () => {
    const [form] = await Promise.all([load(), loadTexts(['forms'])])
    return { default: form }
  })
}
