import type { Translated } from '../messages.ts'
import type { selection as source } from '../en/selection.ts'

export const selection: Translated<typeof source> = {
  row: '选择 {name}',
  page: '选择本页全部',
  bar: '已选内容',
  count: { other: '已选择 {n} 项' },
  all: '选择所有匹配项',
  noneFailed: '只能重试或接管失败的操作。',
  clear: '清除选择',
  tooMany: '每个批次最多 {max} 个目标，已选择前 {max} 个。',
  'action.RETRY': '重试',
  'action.TAKEOVER': '接管并分离',
  'action.UPGRADE': '升级',
  'action.DOWNGRADE': '降级',
  'action.CONFIGURE': '设置属性',
  'action.DETACH': '分离',
}
