import type { refusedWrites as source } from '../en/refused-writes.ts'
import type { Translated } from '../messages.ts'

export const refusedWrites: Translated<typeof source> = {
  title: '写入权限',
  what: '被拒绝的写入',
  'unnamed.RESOURCE': '插件不得写入的资源的属性',
  'unnamed.PROPERTY_UNKNOWN': '该资源没有的属性，其名称不予保留',
  'unnamed.PROPERTY_PROTECTED': '受保护属性',
  rule: '规则',
  'rule.RESOURCE_UNKNOWN': '该资源不属于此操作，其名称不予保留。',
  'rule.RESOURCE_NOT_AUTHORIZED': '{plugin} 的授权不包含该资源。',
  'rule.PROPERTY_PROTECTED': '受保护属性只能由运行时写入。',
  'rule.PROPERTY_UNKNOWN': '清单未定义该属性。',
  'rule.PROPERTY_NOT_AUTHORIZED': '该属性不在 {plugin} 对此资源的 writeProperties 中。',
  permitted: '允许的访问',
  'permitted.writes': '写入 {properties}',
  'permitted.reads': '读取 {properties}',
  nothing: '无',
  writer: '允许写入者',
  'writer.none': '没有插件可以写入，由用户设置。',
  manifest: '清单中的位置',
  frozen: '授权在创建操作时已冻结，在两个阶段和每次重试中都相同。更正后的清单在新版本中生效。',
}
