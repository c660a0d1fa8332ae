import type { services as source } from '../en/services.ts'
import type { Translated } from '../messages.ts'

export const services: Translated<typeof source> = {
  title: '服务',
}
