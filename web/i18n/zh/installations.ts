import type { installations as source } from '../en/installations.ts'
import type { Translated } from '../messages.ts'

export const installations: Translated<typeof source> = {
  title: '安装实例',
}
