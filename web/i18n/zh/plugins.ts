import type { plugins as source } from '../en/plugins.ts'
import type { Translated } from '../messages.ts'

export const plugins: Translated<typeof source> = {
  title: '插件',
}
