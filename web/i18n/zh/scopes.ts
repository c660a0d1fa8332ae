import type { scopes as source } from '../en/scopes.ts'
import type { Translated } from '../messages.ts'

export const scopes: Translated<typeof source> = {
  title: '配置',
  about: '作用域是 Bundle 安装并统一配置的位置。',
  list: '作用域',
  environment: '环境',
  'column.scope': '作用域',
  'column.installations': '安装实例',
  'column.locked': '已锁定',
  'column.snapshot': '快照',
  'column.links': '链接',
  'link.localServices': '本地服务',
  'link.installations': { other: '{scope} 中有 {n} 个安装实例' },
  'link.locked': { other: '{scope} 中有 {n} 个锁定的安装实例' },
  'locked.none': '无',
  'empty.title': '暂无作用域',
  'empty.message': '首次在某个作用域中安装 Bundle 后，该作用域会显示在这里。',
}
