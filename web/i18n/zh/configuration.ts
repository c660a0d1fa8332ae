import type { configuration as source } from '../en/configuration.ts'
import type { Translated } from '../messages.ts'

export const configuration: Translated<typeof source> = {
  title: '配置',
}
