import type { recentOperations as source } from '../en/recent-operations.ts'
import type { Translated } from '../messages.ts'

export const recentOperations: Translated<typeof source> = {
  label: '操作',
  type: '操作',
  installation: '安装实例',
  state: '状态',
  version: '版本',
  by: '发起人',
  at: '时间',
  took: '耗时',
  all: '在操作列表中查看全部',
  'none.title': '没有操作',
  'none.message': '尚无操作。',
}
