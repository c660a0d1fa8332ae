import type { plans as english } from '../en/plans.ts'
import type { Translated } from '../messages.ts'

export const plans: Translated<typeof english> = {
  title: '将执行的内容',
  downgrade: '此操作将从 {from} 降级到 {to}。',
  calls: '操作的执行步骤',
  resources: '应用并验证新的值。',
  'resources.DETACH': '所有插件执行完毕后移除资源。',
  noPlugin: '不调用任何插件。',
  order: '顺序。顺序相同的插件并行调用。',
  reads: '读取 {properties}',
  writes: '可写入 {properties}',
  'availability.DISABLED': '已停用：调用将失败',
  'availability.NOT_REGISTERED': '未注册：调用将失败',
  'unchecked.NO_VERSION': '注册时未填写版本，因此没有适用的 plugin-check 报告',
  'unchecked.NO_REPORT': '版本 {version} 没有 plugin-check 报告',
  'unchecked.NOT_PASSED': '版本 {version} 的 plugin-check 报告未通过',
  changes: { other: '{n} 个值将更改' },
  'changes.none': '没有值会更改。',
  'changes.label': '更改的值',
  broken: { other: '其他安装实例的 {n} 个引用将不再解析' },
  'broken.atLeast': '其他安装实例的 {n} 个以上引用将不再解析',
  'broken.none': '您可见的其他安装实例均未引用此安装实例的服务。',
  'broken.reference': '{property} 引用 {service}',
  'broken.all': '此安装实例的“引用”标签页列出全部引用。',
  'broken.visible': '仅列出您可见的安装实例。',
  problems: '此请求将被拒绝',
}
