import type { operations as source } from '../en/operations.ts'
import type { Translated } from '../messages.ts'

export const operations: Translated<typeof source> = {
  title: '操作',
}
