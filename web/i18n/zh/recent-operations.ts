import type { recentOperations as source } from '../en/recent-operations.ts'
import type { Translated } from '../messages.ts'

export const recentOperations: Translated<typeof source> = {
  label: '操作',
  type: '操作',
  installation: '安装实例',
  state: '状态',
  version: '版本',
  by: '发起人',
  at: '创建时间',
  runTime: '耗时',
  all: '查看全部操作',
  'none.title': '暂无操作',
  'none.message': '发起操作后会显示在这里。',
}
