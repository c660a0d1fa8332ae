import type { scopes as source } from '../en/scopes.ts'
import type { Translated } from '../messages.ts'

export const scopes: Translated<typeof source> = {
  title: '配置',
  about: '作用域是 Bundle 安装并一同配置的位置。',
  list: '作用域',
  environment: '环境',
  'column.scope': '作用域',
  'column.installations': '安装实例',
  'column.claimed': '被占用',
  'column.snapshot': '快照',
  'column.links': '前往',
  'link.localServices': '本地服务',
  'link.installations': '{scope} 中的安装实例',
  'link.claimed': '{scope} 中被占用的安装实例',
  'claimed.none': '无',
  'empty.title': '尚无作用域',
  'empty.message': '某个作用域中有了第一个安装实例后，会显示在这里。',
}
