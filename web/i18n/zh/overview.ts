import type { overview as source } from '../en/overview.ts'
import type { Translated } from '../messages.ts'

export const overview: Translated<typeof source> = {
  title: '总览',
}
