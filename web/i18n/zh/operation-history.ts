import type { operationHistory as source } from '../en/operation-history.ts'
import type { Translated } from '../messages.ts'

export const operationHistory: Translated<typeof source> = {
  'label.sentences': '文字记录',
  'label.everything': '全部记录',
  time: '时间',
  event: '事件',
  call: '插件调用',
  details: '详情',

  'sentence.requested': '{person} 发起了操作。',
  'sentence.reason': '原因：{reason}',
  'sentence.started': '运行时在 {time}后开始执行。',
  'sentence.attempt': '{stage}阶段对 {plugin} 的调用（{attempt}）耗时 {time}：{result}。',
  'sentence.noEnd': '{stage}阶段对 {plugin} 的调用（{attempt}）：{result}。',
  'sentence.attempts': {
    other:
      '{stage}阶段对 {plugin} 的调用共发送 {n} 次（第 {first} 至 {last} 次，最后一次：{attempt}）：{result}。',
  },
  'sentence.late': '响应延迟到达，未产生任何影响。',
  'sentence.resources': { other: '运行时变更了 {n} 个资源。' },
  'sentence.failed': '第 {run} 轮失败：{failure}',
  'sentence.retried': '{person} 启动了第 {run} 轮。',
  'sentence.takenOver': '{person} 接管了操作。',
  'sentence.succeeded': '操作已成功。',
  'sentence.note': '{person} 添加了备注：{text}',
  'sentence.nextAttempt': '将进行下一次自动重试。',

  'event.requested': '已发起',
  'event.started': '已开始',
  'event.request': '已发送请求',
  'event.response': '已收到响应',
  'event.late': '收到延迟响应',
  'event.noResponse': '未收到响应',
  'event.gap': '尚未加载的尝试',
  'event.resources': '资源已变更',
  'event.failed': '本轮失败',
  'event.retried': '已重试',
  'event.takenOver': '已被接管',
  'event.succeeded': '已成功',
  'event.note': '已添加备注',
  'event.nextAttempt': '下一次自动重试',
  'details.waited': '等待执行 {time}',
  'details.until': '在此时间至 {time}之间',
}
