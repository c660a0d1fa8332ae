import type { errors as source } from '../en/errors.ts'
import type { Translated } from '../messages.ts'

export const errors: Translated<typeof source> = {
  code: '代码',
  requestId: '请求 ID',
  trail: '路径',
  'trail.label': '失败经过的服务，最外层在前',
  remedy: '处理建议',
  retryable: '可以原样重新发送同一请求。',
  notRetryable: '在原因消除之前，重新发送同一请求没有用处。',
  'network.title': '无法连接控制台',
  'network.message': '请求未能送达，无法确定是否已被接收。',
  'network.remedy': '请检查网络后重试。您输入的内容不会丢失。',
  'unknown.title': '出现错误',
  'unknown.message': '无法理解返回的应答。',
  'unknown.remedy': '请重试；如果仍然出现，请将请求 ID 提供给控制台的运维人员。',
  'unknownCode.remedy': '请查看消息；如果没有帮助，请联系其来源服务的运维人员。',
}
