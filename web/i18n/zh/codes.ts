import { codeTexts } from '../code-texts.ts'

export const codes = codeTexts({
  AUTHENTICATION_REQUIRED: {
    title: '您尚未登录',
    message: '会话已结束或从未开始。',
    remedy: '请登录。您输入的内容会保留。',
  },
  PERMISSION_DENIED: {
    title: '您无权执行此操作',
    message: '您的任何角色都不允许在此处执行。',
    remedy: '请联系拥有权限的人，或向管理员申请角色。',
  },
  NOT_FOUND: {
    title: '这里没有内容',
    message: '它不存在，或者您无权查看。',
    remedy: '请检查地址，或通过搜索查找。',
  },
  REQUEST_INVALID: {
    title: '请求无效',
    message: '请求中有不符合要求的内容。',
    remedy: '请修正所指出的内容，然后重新发送。',
  },
  IDEMPOTENCY_KEY_REUSED: {
    title: '该键已用于其他请求',
    message: '同一个幂等键随另一个请求出现过。',
    remedy: '请重新加载页面后再操作一次。',
  },
  CONFIGURATION_SNAPSHOT_STALE: {
    title: '他人已先保存',
    message: '自您开始编辑以来配置已发生变化，没有写入任何内容。',
    remedy: '请将对方的更改与您的更改进行比较，然后在新快照上保存。',
  },
  RESOURCE_OWNERSHIP_MISSING: {
    title: '该资源没有所有者',
    message: '此作用域中没有任何活动的安装实例拥有它。',
    remedy: '请检查资源名称，或先安装其 Bundle。',
  },
  PROPERTY_PROTECTED: {
    title: '该属性受保护',
    message: '只有运行时可以写入它。',
    remedy: '请将其去掉。',
  },
  PROPERTY_INVALID: {
    title: '有值无效',
    message: '有值不符合其定义。',
    remedy: '请修正已标出的字段。',
  },
  OPERATION_IN_PROGRESS: {
    title: '有操作正在运行',
    message: '有操作占用着该安装实例，没有写入任何内容。',
    remedy: '请等待其结束，表单会自动重新开放。',
  },
  OPERATION_CLAIM_HELD: {
    title: '失败的操作仍占用该实例',
    message: '一个失败的操作仍占用着该安装实例，没有写入任何内容。',
    remedy: '请重试该操作，或由 DETACH 接管。',
  },
  OPERATION_NOT_RETRYABLE: {
    title: '无法重试',
    message: '该操作不处于失败状态，或在您查看之后已被重试。',
    remedy: '请查看它现在的状态。',
  },
  TAKEOVER_NOT_ALLOWED: {
    title: '无法接管',
    message: '只有仍处于您所见失败状态的操作才能被接管。',
    remedy: '请查看它现在的状态。',
  },
  INSTALLATION_EXISTS: {
    title: '此处已安装',
    message: '该作用域中已有此 Bundle 的安装实例，且尚未分离。',
    remedy: '请升级或配置该安装实例，或先将其分离。',
  },
  INSTALLATION_NOT_ACTIVE: {
    title: '安装实例不是活动状态',
    message: '只有活动的安装实例才能执行此操作。',
    remedy: '请查看它的状态和占用情况。',
  },
  MANIFEST_INVALID: {
    title: '清单无效',
    message: '作者清单违反了规则。',
    remedy: '请修正所指出的内容，然后重新发布。',
  },
  VERSION_EXISTS: {
    title: '该版本已发布',
    message: '已发布的版本不会改变。',
    remedy: '请使用新的版本号发布。',
  },
  LOCAL_SERVICE_STALE: {
    title: '他人已先保存',
    message: '自您开始编辑以来本地服务已发生变化，没有写入任何内容。',
    remedy: '请比较后在新版本上保存。',
  },
  PLUGIN_NOT_REGISTERED: {
    title: '无法调用插件',
    message: '它未注册，或已被停用。',
    remedy: '请注册或启用该插件，然后重试。',
  },
  PLUGIN_UNREACHABLE: {
    title: '无法连接插件',
    message: '没有收到应答，因此不知道它做了什么。',
    remedy: '请确认插件正在运行且地址正确。该调用会自动重复。',
  },
  PLUGIN_TIMEOUT: {
    title: '插件未及时应答',
    message: '没有及时收到应答，因此不知道它做了什么。',
    remedy: '请查看插件被什么耽搁。该调用会自动重复。',
  },
  PLUGIN_RESPONSE_INVALID: {
    title: '插件违反了协议',
    message: '它的应答无效，其中的任何内容都没有保留。',
    remedy: '请让插件方修正，然后重试。',
  },
  PLUGIN_REPORTED_FAILURE: {
    title: '插件失败',
    message: '插件应答说它失败了。',
    remedy: '请查看其消息，消除原因，然后重试。',
  },
  PLUGIN_RESULT_UNKNOWN: {
    title: '结果未知',
    message: '在本轮的所有尝试中，插件都没有告知结果。',
    remedy: '请查看插件自身的状态，然后重试：重复的是同一个调用，是安全的。',
  },
  REFERENCE_NOT_AUTHORIZED: {
    title: '不允许解析该引用',
    message: '授权中没有列出它。',
    remedy: '请 Bundle 作者将该属性加入 credentialProperties。',
  },
  REFERENCE_TARGET_UNAVAILABLE: {
    title: '所引用的服务不可用',
    message: '它不存在、已停用，或不允许从此作用域使用。',
    remedy: '请选择其他服务，或为此作用域启用它。',
  },
  CREDENTIAL_REVOKED: {
    title: '凭据已被吊销',
    message: '凭据可识别，但不再有效。',
    remedy: '请创建新的凭据并交给插件。',
  },
  METHOD_NOT_ALLOWED: {
    title: '此处不能这样操作',
    message: '该地址不接受此方法。',
    remedy: '请重新加载页面。',
  },
  PAYLOAD_TOO_LARGE: {
    title: '请求过大',
    message: '请求体超过了此调用的上限。',
    remedy: '请减少每次发送的内容。',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    title: '请求类型不正确',
    message: '请求体必须是未压缩的 JSON。',
    remedy: '请发送 application/json。',
  },
  RATE_LIMITED: {
    title: '请求过多',
    message: '短时间内的请求太多。',
    remedy: '请稍候再试。',
  },
  UPSTREAM_INVALID: {
    title: '运行时的应答有误',
    message: '无法理解运行时的应答。',
    remedy: '请重试；如果仍然出现，请将请求 ID 提供给控制台的运维人员。',
  },
  UPSTREAM_UNAVAILABLE: {
    title: '无法连接运行时',
    message: '控制台正常，但运行时没有响应。',
    remedy: '运行时恢复后，页面会自动重新加载。如需重复更改，请再次提交：同一请求绝不会执行两次。',
  },
  UPSTREAM_TIMEOUT: {
    title: '运行时未及时应答',
    message: '尚不知道请求是否已执行。',
    remedy: '请重试：同一请求绝不会执行两次。',
  },
  INTERNAL_ERROR: {
    title: '出现错误',
    message: '控制台自身出现错误。',
    remedy: '请重试；如果仍然出现，请将请求 ID 提供给控制台的运维人员。',
  },
  SERVICE_UNAVAILABLE: {
    title: '暂时不可用',
    message: '服务正在启动、停止或过载。',
    remedy: '请稍后再试。',
  },
  NETWORK_LOST: {
    title: '无法连接控制台',
    message: '没有收到应答，不知道请求是否已到达。',
    remedy: '请检查网络后重试：同一请求绝不会执行两次。',
  },
})
