import type { errors as source } from '../en/errors.ts'
import type { Translated } from '../messages.ts'

export const errors: Translated<typeof source> = {
  code: '错误码',
  requestId: '请求 ID',
  trail: '错误路径',
  'trail.label': '错误经过的服务，最外层在前',
  remedy: '处理建议',
  notRetryable: '请先排除问题原因，再重新发送。',
  'address.title': '未找到',
  'address.message': '地址中的 ID 无效。',
  'address.remedy': '请检查链接，或从列表中打开该页面。',
  'unknown.title': '出现错误',
  'unknown.message': '无法读取返回的响应。',
  'unknown.remedy': '请重试。如果问题持续出现，请联系管理员。',
}
