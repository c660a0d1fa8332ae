import type { versions as source } from '../en/versions.ts'
import type { Translated } from '../messages.ts'

export const versions: Translated<typeof source> = {
  title: '版本',
  about: '每个 Bundle 的各版本有多少个已启用的安装实例。',
  list: 'Bundle',
  search: '搜索 Bundle',
  environment: '环境',
  runtime: '运行时',
  workspace: '工作区',
  scopeFilter: '作用域',
  available: '有可用升级',
  'empty.title': '暂无已启用的安装实例',
  'empty.message': '已安装的 Bundle 的版本会显示在这里。',
  all: { other: '所有安装实例（{n} 个）均为 {version}' },
  outdated: { other: '{total} 个中有 {n} 个版本过旧' },
  mixed: { other: '{n} 个版本，均未过旧' },
  upgradeAll: { other: '升级 {n} 个过旧的安装实例' },
  newest: '最新',
  'newest.none': '未安装',
  cell: { other: '{bundle} {version}：{n} 个安装实例' },
  upgrade: '升级',
  tooMany: '每个批次最多 {max} 个目标，已选择前 {max} 个。',
  none: '这些安装实例已发生变化，数量已更新。',
}
