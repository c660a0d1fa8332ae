import type { pluginReports as source } from '../en/plugin-reports.ts'
import type { Translated } from '../messages.ts'

export const pluginReports: Translated<typeof source> = {
  about: 'plugin-check 用于检查插件是否遵守生命周期协议。每个版本保留最近一次报告，不含用例的请求与响应。',
  upload: '上传报告',
  noVersion: '此插件注册时未填写版本，因此没有适用的报告。请编辑插件并填写版本。',
  'none.title': '暂无报告',
  'none.message': '请使用 --json 运行 plugin-check，然后上传其报告。',
  version: '版本 {version}',
  current: '已注册的版本',
  incomplete: '此次运行未包含全部用例，因此不算通过。',
  cases: '用例',
  totals: '{passed} 个通过，{failed} 个失败，{untested} 个未测试',
  ran: '测试时间',
  uploaded: '上传时间',
  checker: 'plugin-check 版本',
  digest: '摘要（SHA-256）',
  findings: '失败的用例',
  untested: { other: '{n} 个用例未测试' },

  'form.title': '为 {plugin} 上传报告',
  'form.about': '使用 --json 运行 plugin-check run 生成的 JSON 报告。它将替换该版本最近一次的报告。',
  'form.report': '报告',
  'form.file': '选择文件',
  'form.submit': '上传',
  'form.empty': '请粘贴报告或选择文件',
  'form.notReport': '这不是 plugin-check 的 JSON 报告。',
  'form.noVersion': '报告和注册信息均未注明版本。请在配置文件中设置 version，或编辑插件。',
  'form.target': '适用于版本 {version}',
  'form.done': '版本 {version} 的报告已上传。',

  'policy.title': '插件报告策略',
  'policy.about':
    '在某个环境中，当安装、升级或配置更改将调用缺少已通过报告的插件版本时，系统如何处理。分离操作和已开始的操作不会被拒绝。',
  'policy.environment': '环境',
  'policy.invalid': '请使用 1 到 128 个字母（A–Z、a–z）、数字或 . _ ~ -',
  'policy.label': '缺少已通过的报告时',
  'policy.IGNORE': '忽略',
  'policy.WARN': '在计划中警告',
  'policy.REFUSE': '拒绝',
  'policy.saved': '环境 {environment} 的策略已保存。',
}
