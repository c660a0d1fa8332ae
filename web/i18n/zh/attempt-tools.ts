import type { attemptTools as source } from '../en/attempt-tools.ts'
import type { Translated } from '../messages.ts'

export const attemptTools: Translated<typeof source> = {
  response: '第 {attempt} 次尝试（第 {run} 轮）的响应',
  search: '搜索请求与响应',
  matches: '第 {position} 处，共 {count} 处',
  'matches.many': '第 {position} 处，共 {count} 处以上',
  none: '没有匹配项',
  previous: '上一个匹配项',
  next: '下一个匹配项',
  'compare.one': '只有一次尝试，无法比较。',
  'compare.before': '比较的尝试',
  'compare.after': '对照的尝试',
  'compare.label': '两次尝试的差异',
  'compare.request': '请求逐字节相同，每次尝试使用各自的令牌。尚未加载的尝试无法选择。',
  'compare.result': '结果',
  'compare.part': '耗时：{part}',
  'compare.more': { other: '响应中还有 {n} 处差异未显示。' },
}
