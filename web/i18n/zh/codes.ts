import type * as source from '../en/codes.ts'
import { codeTexts, titlesIn } from '../code-texts.ts'
import type { Translated } from '../messages.ts'

export const codes = codeTexts({
  AUTHENTICATION_REQUIRED: {
    title: '您尚未登录',
    message: '会话已结束或尚未开始。',
    remedy: '请登录。未保存的更改会保留。',
  },
  SIGN_IN_FAILED: {
    title: '登录失败',
    message: '用户名或密码错误，或者身份提供方未确认此次登录。',
    remedy: '请重新登录。',
  },
  PERMISSION_DENIED: {
    title: '没有权限',
    message: '您的角色不允许在此处执行该操作。',
    remedy: '请向管理员申请相应的角色。',
  },
  RECENT_SIGN_IN_REQUIRED: {
    title: '请重新登录后继续',
    message: '此操作要求您近期登录过，而您上次登录的时间已过久。尚未执行任何操作。',
    remedy: '请以同一账号重新登录，然后再次确认。您输入的内容会保留。',
  },
  NOT_FOUND: {
    title: '未找到',
    message: '内容不存在，或您无权查看。',
    remedy: '请检查网址，或通过搜索查找。',
  },
  REQUEST_INVALID: {
    title: '请求无效',
    message: '请求中有不符合要求的内容。',
    remedy: '请按提示修正后重试。',
  },
  IDEMPOTENCY_KEY_REUSED: {
    title: '幂等键已被使用',
    message: '同一个幂等键已用于另一个请求。',
    remedy: '请重新加载页面后重试。',
  },
  CONFIGURATION_SNAPSHOT_STALE: {
    title: '其他用户已先保存',
    message: '您开始编辑后，配置已发生变化。未保存任何内容。',
    remedy: '请比较双方的更改，然后在新快照上保存。',
  },
  PLAN_STALE: {
    title: '计划已过期',
    message: '计划所依据的内容已发生变化。未开始任何操作。',
    remedy: '请查看新的计划，然后再次确认。您输入的内容已保留。',
  },
  RESOURCE_OWNERSHIP_MISSING: {
    title: '该资源没有所属的安装实例',
    message: '此作用域中没有已启用的安装实例拥有该资源。',
    remedy: '请检查资源名称，或先安装其 Bundle。',
  },
  PROPERTY_PROTECTED: {
    title: '该属性受保护',
    message: '只有运行时可以写入该属性。',
    remedy: '请从更改中移除该属性。',
  },
  TOO_MANY_COMPARISONS: {
    title: '尝试的值过多',
    message: '您在一小时内为某个敏感属性提供了过多不同的值。未保存或比较任何内容。',
    remedy: '请移除该属性，或稍后再试。您输入的内容会保留。',
  },
  PROPERTY_MANAGED: {
    title: '由其他来源管理',
    message: '此次声明式应用会更改不归它管理的属性。未保存任何内容。',
    remedy: '请移除这些属性，或逐个注明原因后接管。',
  },
  PROPERTY_INVALID: {
    title: '值无效',
    message: '部分值不符合其定义。',
    remedy: '请修正已标记的字段。',
  },
  OPERATION_IN_PROGRESS: {
    title: '有操作正在进行',
    message: '安装实例已被操作锁定。未保存任何内容。',
    remedy: '请等待操作结束，表单会自动解锁。',
  },
  OPERATION_CLAIM_HELD: {
    title: '被失败的操作锁定',
    message: '一个失败的操作仍锁定着该安装实例。未保存任何内容。',
    remedy: '请重试或接管该操作。',
  },
  OPERATION_NOT_RETRYABLE: {
    title: '无法重试该操作',
    message: '操作不处于失败状态，或在您查看后已发生变化。',
    remedy: '请查看操作的当前状态。',
  },
  TAKEOVER_NOT_ALLOWED: {
    title: '无法接管该操作',
    message: '操作不处于失败状态，或在您查看后已发生变化。',
    remedy: '请查看操作的当前状态。',
  },
  OPERATION_ASSIGNEE_CHANGED: {
    title: '处理人已变更',
    message: '在您加载该操作之后，其他人更改了处理人。未做任何更改。',
    remedy: '请查看当前的处理人。',
  },
  CAUSE_STALE: {
    title: '该故障原因已变更',
    message: '在您加载该故障原因之后，其他人或一次重试更改了它。未做任何更改。',
    remedy: '请查看它的当前状态和处理人。',
  },
  INSTALLATION_EXISTS: {
    title: '此作用域中已安装',
    message: '此作用域中已有该 Bundle 的安装实例，且尚未分离。',
    remedy: '请升级或配置该安装实例，或先将其分离。',
  },
  INSTALLATION_NOT_ACTIVE: {
    title: '安装实例未启用',
    message: '只有已启用的安装实例才能执行此操作。',
    remedy: '请查看安装实例的状态和锁定情况。',
  },
  MANIFEST_INVALID: {
    title: '清单无效',
    message: '清单违反了一条或多条规则。',
    remedy: '请修正列出的问题，然后重新发布。',
  },
  VERSION_EXISTS: {
    title: '该版本已发布',
    message: '已发布的版本不可更改。',
    remedy: '请使用新的版本号发布。',
  },
  LOCAL_SERVICE_STALE: {
    title: '其他用户已先保存',
    message: '您开始编辑后，本地服务已发生变化。未保存任何内容。',
    remedy: '请比较两个版本，然后在新版本上保存。',
  },
  REGISTRATION_EXISTS: {
    title: '此 ID 已注册',
    message: '未保存任何内容。',
    remedy: '请换用其他 ID，或编辑使用此 ID 的注册信息。',
  },
  REGISTRATION_STALE: {
    title: '注册信息已变化',
    message: '您打开之后，注册信息又被保存过。您的更改未保存。',
    remedy: '请重新打开表单，并在当前注册信息上进行更改。',
  },
  WEBHOOK_STALE: {
    title: 'Webhook 已变化',
    message: '您打开之后，该 Webhook 又被保存过。您的更改未保存。',
    remedy: '请重新打开表单，并在当前 Webhook 上进行更改。',
  },
  PLUGIN_NOT_CHECKED: {
    title: '有插件缺少已通过的检查报告',
    message: '此环境要求每个被调用的插件都有已通过的 plugin-check 报告。',
    remedy: '请上传该插件的报告，或向管理员了解此策略。',
  },
  PLUGIN_RETIRED: {
    title: '有插件已退役',
    message: '该操作要调用的插件已永久停用，因此只能分离。',
    remedy: '请分离该安装实例，再安装不含该插件的版本；或请管理员恢复该插件。',
  },
  CHANGES_FROZEN: {
    title: '变更已冻结',
    message: '当前处于变更冻结期，不允许此类变更。未做任何更改。',
    remedy: '请等待冻结期结束，或联系管理员。',
  },
  INSTALLATION_PROTECTED: {
    title: '该安装实例受保护',
    message: '受保护的安装实例不能分离，也不能接管。未做任何更改。',
    remedy: '请了解保护原因，然后在其页面上解除保护。',
  },
  VERSION_PINNED: {
    title: '该安装实例已固定为其他版本',
    message: '只能升级到固定范围内的版本。未做任何更改。',
    remedy: '请选择固定范围内的版本，或在该安装实例的页面上取消固定。',
  },
  VERSION_RECALLED: {
    title: '该版本已召回',
    message: '已召回的版本不能再安装。未做任何更改。',
    remedy: '请选择其他版本。召回原因见该版本的页面。',
  },
  FREEZE_STALE: {
    title: '该冻结期已更改',
    message: '在您打开之后，它又被保存过。您的更改未保存。',
    remedy: '请重新打开表单，在当前的冻结期上进行更改。',
  },
  APPROVAL_REQUIRED: {
    title: '需要批准',
    message: '此环境要求此变更有经批准的变更请求。',
    remedy: '请提交审批，或请他人批准未完成的变更请求。',
  },
  CHANGE_REQUEST_STATE: {
    title: '当前状态不允许此操作',
    message: '此变更请求有冲突或已结束，或已被其他人更改。',
    remedy: '请查看其当前状态。',
  },
  CHANGE_REQUEST_STALE: {
    title: '变更请求已更改',
    message: '您读取后，其他人编辑了它。',
    remedy: '请重新查看，然后重试。',
  },
  CHANGE_POLICY_STALE: {
    title: '策略已更改',
    message: '您读取后，其他人更改了它。',
    remedy: '请重新查看，然后重试。',
  },
  BATCH_NOT_PAUSED: {
    title: '该批次未暂停',
    message: '其他用户已继续或停止该批次，或它已结束。',
    remedy: '请查看其当前状态。',
  },
  BATCH_FINISHED: {
    title: '该批次已结束',
    message: '没有可停止的内容。',
    remedy: '请查看其结果。',
  },
  BATCH_ITEM_NOT_STARTED: {
    title: '无法启动此目标',
    message: '运行时多次尝试启动此目标均失败。',
    remedy: '请查看运行时日志，然后单独启动。',
  },
  NUMBERS_USED_UP: {
    title: '编号已用尽',
    message: '执行序号或快照版本已达到最大值。未做任何更改。',
    remedy: '请联系平台团队。正常使用不会达到此数值。',
  },
  PLUGIN_NOT_REGISTERED: {
    title: '无法调用插件',
    message: '插件未注册，或已停用。',
    remedy: '请注册该插件。如果是有人停用了它，请先与其确认再重新启用。然后重试。',
  },
  PLUGIN_UNREACHABLE: {
    title: '无法连接插件',
    message: '未收到响应，无法确定插件执行了什么。',
    remedy: '请确认插件正在运行且端点正确。如果操作已失败，请重试。',
  },
  PLUGIN_TIMEOUT: {
    title: '插件未及时响应',
    message: '未及时收到响应，无法确定插件执行了什么。',
    remedy: '请检查插件响应缓慢的原因。如果操作已失败，请重试。',
  },
  PLUGIN_RESPONSE_INVALID: {
    title: '插件的响应无效',
    message: '响应违反了协议，其内容均未保存。',
    remedy: '请联系插件负责人修复，然后重试。',
  },
  PLUGIN_REPORTED_FAILURE: {
    title: '插件执行失败',
    message: '插件报告执行失败。',
    remedy: '请在插件日志中查找此操作 ID，消除原因后重试。',
  },
  PLUGIN_RESULT_UNKNOWN: {
    title: '结果未知',
    message: '本轮中至少有一次尝试没有明确结果。',
    remedy:
      '请查看插件自身的状态，并在其日志中查找此操作 ID，然后重试。重试会发送完全相同的请求，插件不得重复执行。',
  },
  REFERENCE_NOT_AUTHORIZED: {
    title: '该引用未获授权',
    message: '授权中未列出该引用。',
    remedy: '请联系 Bundle 作者将该属性加入 credentialProperties。',
  },
  REFERENCE_TARGET_UNAVAILABLE: {
    title: '引用的服务不可用',
    message: '服务不存在、已停用，或不能在此作用域中使用。',
    remedy: '请选择其他服务，或为此作用域开放该服务。',
  },
  CREDENTIAL_REVOKED: {
    title: '凭据已吊销',
    message: '凭据可识别，但不再有效。',
    remedy: '请创建新凭据并提供给插件。',
  },
  METHOD_NOT_ALLOWED: {
    title: '不支持该方法',
    message: '此地址不支持该方法。',
    remedy: '请重新加载页面。',
  },
  PAYLOAD_TOO_LARGE: {
    title: '请求过大',
    message: '请求体超出此端点的大小上限。',
    remedy: '请减少每次发送的内容。',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    title: '不支持的内容类型',
    message: '请求体必须是未压缩的 JSON。',
    remedy: '请发送 application/json。',
  },
  RATE_LIMITED: {
    title: '请求过于频繁',
    message: '短时间内发送的请求过多。',
    remedy: '请稍后重试。',
  },
  UPSTREAM_INVALID: {
    title: '运行时的响应异常',
    message: '无法读取运行时的响应。',
    remedy: '请重试。如果问题持续出现，请将请求 ID 提供给管理员。',
  },
  UPSTREAM_UNAVAILABLE: {
    title: '无法连接运行时',
    message: '控制台运行正常，但运行时没有响应。',
    remedy: '运行时恢复后，页面会自动重新加载。如需重复更改，请再次提交：同一请求绝不会执行两次。',
  },
  UPSTREAM_TIMEOUT: {
    title: '运行时未及时响应',
    message: '尚无法确定请求是否已执行。',
    remedy: '请重试：同一请求绝不会执行两次。',
  },
  INTERNAL_ERROR: {
    title: '出现错误',
    message: '控制台出现错误。',
    remedy: '请重试。如果问题持续出现，请将请求 ID 提供给管理员。',
  },
  SERVICE_UNAVAILABLE: {
    title: '暂时不可用',
    message: '服务正在启动、停止或过载。',
    remedy: '请稍后重试。',
  },
  NETWORK_LOST: {
    title: '无法连接控制台',
    message: '未收到响应，无法确定请求是否已送达。',
    remedy: '请检查网络连接后重试：同一请求绝不会执行两次。',
  },
})

export const codeTitles = titlesIn(codes)

export const errors: Translated<typeof source.errors> = {
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
