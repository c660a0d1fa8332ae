import type { catalog as source } from '../en/catalog.ts'
import type { Translated } from '../messages.ts'

export const catalog: Translated<typeof source> = {
  title: '目录',
}
