import type { localServices as source } from '../en/local-services.ts'
import type { Translated } from '../messages.ts'

export const localServices: Translated<typeof source> = {
  title: '本地服务',
}
