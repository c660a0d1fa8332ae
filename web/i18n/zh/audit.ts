import type { audit as source } from '../en/audit.ts'
import type { Translated } from '../messages.ts'

export const audit: Translated<typeof source> = {
  title: '审计',
}
