import type { Language } from './languages.ts'

type InEachLanguage = Readonly<Record<Language, string>>

/** Why a plugin may not write a property; the first rule that applies. */
export const WRITE_RULES = [
  'RESOURCE_UNKNOWN',
  'RESOURCE_NOT_AUTHORIZED',
  'PROPERTY_PROTECTED',
  'PROPERTY_UNKNOWN',
  'PROPERTY_NOT_AUTHORIZED',
] as const
export type WriteRule = (typeof WRITE_RULES)[number]

interface CauseOfFailure {
  /** What failed, as the heading of a failure. A cause without one is headed with its message. */
  title?: InEachLanguage
  /** A sentence for the failure; `{name}` is replaced by the parameter of that name. English is sent by the runtime. */
  message: InEachLanguage
  /** The plugin cannot have acted on the call. */
  wasReceived?: false
  /** A response arrived, but was not read, so its status is not recorded. */
  isUnread?: true
  /** The response breaks the protocol. */
  isInvalid?: true
  /** The rule that a write in the response breaks. */
  writeRule?: WriteRule
}
interface NoResponseCause {
  /** Why there is no response, as the HTTP client says it. */
  noResponse: string
  /** The same for any receiver, such as a webhook, in a few words. */
  label: InEachLanguage
  /** The error code of the failure. */
  code: 'PLUGIN_TIMEOUT' | 'PLUGIN_UNREACHABLE' | 'PLUGIN_RESULT_UNKNOWN'
}
type CallCause = CauseOfFailure & (NoResponseCause | { [Member in keyof NoResponseCause]?: undefined })

/**
 * Why the call of a plugin failed, by reason: everything that the platform says about it, in each language. Who acts next
 * is in `runtime/model/situations.ts`.
 */
export const CALL_CAUSES = {
  callTimeout: {
    title: { en: 'The plugin did not respond in time', zh: '插件未及时响应' },
    message: {
      en: 'Plugin {plugin} did not respond within {seconds} s.',
      zh: '插件 {plugin} 在 {seconds} 秒内未响应。',
    },
    noResponse: 'timeout',
    label: { en: 'No response in time', zh: '响应超时' },
    code: 'PLUGIN_TIMEOUT',
  },
  callRefused: {
    title: { en: 'The plugin refused the connection', zh: '插件拒绝连接' },
    message: {
      en: 'The connection to plugin {plugin} was refused. Check that the plugin is running.',
      zh: '插件 {plugin} 拒绝了连接。请确认插件正在运行。',
    },
    noResponse: 'refused',
    label: { en: 'Connection refused', zh: '连接被拒绝' },
    code: 'PLUGIN_UNREACHABLE',
    wasReceived: false,
  },
  callNoRoute: {
    title: { en: 'The plugin’s host can’t be reached', zh: '无法到达插件的主机' },
    message: {
      en: 'The network has no route to the host of plugin {plugin}. Check that the host is running, and the network between.',
      zh: '网络中没有到插件 {plugin} 的主机的路由。请确认该主机正在运行，并检查中间的网络。',
    },
    noResponse: 'no-route',
    label: { en: 'No route to the host', zh: '没有到主机的路由' },
    code: 'PLUGIN_UNREACHABLE',
    wasReceived: false,
  },
  callNoSocket: {
    title: { en: 'The runtime could not open a connection', zh: '运行时无法打开连接' },
    message: {
      en: 'The runtime had no free socket or port to call plugin {plugin}. Check the limits of its host: open files, local ports, memory.',
      zh: '运行时没有空闲的套接字或端口来调用插件 {plugin}。请检查其主机的限制：打开文件数、本地端口和内存。',
    },
    noResponse: 'no-socket',
    label: { en: 'No free socket or port', zh: '没有空闲的套接字或端口' },
    code: 'PLUGIN_UNREACHABLE',
    wasReceived: false,
  },
  callHostUnknown: {
    title: { en: 'The plugin’s host was not found', zh: '找不到插件的主机' },
    message: {
      en: 'The host of plugin {plugin} was not found. Check the endpoint of the plugin.',
      zh: '找不到插件 {plugin} 的主机。请检查插件的端点地址。',
    },
    noResponse: 'dns',
    label: { en: 'Host not found', zh: '找不到主机' },
    code: 'PLUGIN_UNREACHABLE',
    wasReceived: false,
  },
  callTlsFailed: {
    title: { en: 'The secure connection to the plugin failed', zh: '无法与插件建立安全连接' },
    message: {
      en: 'A secure connection to plugin {plugin} could not be established. Check that its endpoint uses HTTPS.',
      zh: '无法与插件 {plugin} 建立安全连接。请确认其端点支持 HTTPS。',
    },
    noResponse: 'tls',
    label: { en: 'No secure connection', zh: '无法建立安全连接' },
    code: 'PLUGIN_UNREACHABLE',
    wasReceived: false,
  },
  callTlsUntrusted: {
    title: { en: 'The plugin’s certificate is not trusted', zh: '插件的证书不受信任' },
    message: {
      en: 'The certificate of plugin {plugin} is not signed by an authority that this platform trusts. It may be self-signed.',
      zh: '插件 {plugin} 的证书不是由本平台信任的机构签发的，可能是自签名证书。',
    },
    noResponse: 'tls-untrusted',
    label: { en: 'Certificate not trusted', zh: '证书不受信任' },
    code: 'PLUGIN_UNREACHABLE',
    wasReceived: false,
  },
  callTlsExpired: {
    title: { en: 'The plugin’s certificate has expired', zh: '插件的证书已过期' },
    message: {
      en: 'The certificate of plugin {plugin} has expired.',
      zh: '插件 {plugin} 的证书已过期。',
    },
    noResponse: 'tls-expired',
    label: { en: 'Certificate expired', zh: '证书已过期' },
    code: 'PLUGIN_UNREACHABLE',
    wasReceived: false,
  },
  callTlsEarly: {
    title: { en: 'The plugin’s certificate is not valid yet', zh: '插件的证书尚未生效' },
    message: {
      en: 'The certificate of plugin {plugin} is not valid yet.',
      zh: '插件 {plugin} 的证书尚未生效。',
    },
    noResponse: 'tls-early',
    label: { en: 'Certificate not valid yet', zh: '证书尚未生效' },
    code: 'PLUGIN_UNREACHABLE',
    wasReceived: false,
  },
  callTlsWrongName: {
    title: { en: 'The plugin’s certificate is for another host', zh: '插件的证书与主机名不符' },
    message: {
      en: 'The certificate of plugin {plugin} is not valid for the host name of its endpoint.',
      zh: '插件 {plugin} 的证书与其端点的主机名不符。',
    },
    noResponse: 'tls-wrong-name',
    label: { en: 'Certificate for another host', zh: '证书属于其他主机' },
    code: 'PLUGIN_UNREACHABLE',
    wasReceived: false,
  },
  callEgressDenied: {
    title: { en: 'The plugin’s endpoint is not allowed', zh: '插件的端点地址未被放行' },
    message: {
      en: 'This deployment does not allow the endpoint of plugin {plugin}.',
      zh: '插件 {plugin} 的端点地址不在此部署允许的范围内。',
    },
    noResponse: 'egress-denied',
    label: { en: 'Address not allowed', zh: '地址不被允许' },
    code: 'PLUGIN_UNREACHABLE',
    wasReceived: false,
  },
  callReset: {
    title: { en: 'The connection to the plugin was lost', zh: '与插件的连接已断开' },
    message: {
      en: 'The connection to plugin {plugin} was lost before a response arrived.',
      zh: '在收到响应之前，与插件 {plugin} 的连接已断开。',
    },
    noResponse: 'reset',
    label: { en: 'Connection lost', zh: '连接中断' },
    code: 'PLUGIN_UNREACHABLE',
  },
  callRedirected: {
    title: { en: 'The plugin’s endpoint redirects', zh: '插件的端点返回重定向' },
    message: {
      en: 'The endpoint of plugin {plugin} redirects. Redirects are not followed: register the final address.',
      zh: '插件 {plugin} 的端点返回了重定向，而系统不跟随重定向。请注册最终的端点地址。',
    },
    noResponse: 'redirect',
    label: { en: 'Redirected', zh: '被重定向' },
    code: 'PLUGIN_RESULT_UNKNOWN',
    isUnread: true,
  },
  callRedirectedTo: {
    title: { en: 'The plugin’s endpoint redirects', zh: '插件的端点返回重定向' },
    message: {
      en: 'The endpoint of plugin {plugin} redirects to {origin}. Redirects are not followed: register the final address.',
      zh: '插件 {plugin} 的端点重定向到 {origin}，而系统不跟随重定向。请注册最终的端点地址。',
    },
    isUnread: true,
  },
  callRedirectedAway: {
    title: { en: 'The plugin’s endpoint redirects to another host', zh: '插件的端点重定向到其他主机' },
    message: {
      en: 'The endpoint of plugin {plugin} redirects to {origin}, which is another host. A sign-in proxy may be in front of the plugin.',
      zh: '插件 {plugin} 的端点重定向到另一主机 {origin}，插件前面可能有登录代理。',
    },
    isUnread: true,
  },
  callNotHttp: {
    title: { en: 'The response is not valid HTTP', zh: '响应不是有效的 HTTP' },
    message: {
      en: 'The endpoint of plugin {plugin} does not respond with valid HTTP. Check its host and port.',
      zh: '插件 {plugin} 的端点返回的不是有效的 HTTP。请检查其主机和端口。',
    },
    noResponse: 'not-http',
    label: { en: 'Not valid HTTP', zh: '不是有效的 HTTP' },
    code: 'PLUGIN_RESULT_UNKNOWN',
    isUnread: true,
  },
  callCut: {
    title: { en: 'The plugin’s response was cut off', zh: '插件的响应不完整' },
    message: {
      en: 'The response of plugin {plugin} was cut off.',
      zh: '插件 {plugin} 的响应不完整。',
    },
    noResponse: 'cut',
    label: { en: 'Response cut off', zh: '响应不完整' },
    code: 'PLUGIN_RESULT_UNKNOWN',
    isUnread: true,
  },
  callContinue: {
    title: {
      en: 'The plugin sent a “100 Continue” that was not requested',
      zh: '插件发送了未请求的“100 Continue”',
    },
    message: {
      en: 'The endpoint of plugin {plugin} sent “100 Continue”, which was not requested. Stop this in the plugin or in the proxy in front of it.',
      zh: '插件 {plugin} 的端点发送了未请求的“100 Continue”。请在插件或其前面的代理中停用该行为。',
    },
    noResponse: 'continue',
    label: { en: '“100 Continue” not requested', zh: '收到未请求的“100 Continue”' },
    code: 'PLUGIN_RESULT_UNKNOWN',
    isUnread: true,
  },
  callUpgrade: {
    title: { en: 'The plugin tried to switch protocols', zh: '插件试图切换协议' },
    message: {
      en: 'The endpoint of plugin {plugin} responded with “101 Switching Protocols”, which was not requested. Stop this in the plugin or in the proxy in front of it.',
      zh: '插件 {plugin} 的端点返回了未请求的“101 Switching Protocols”。请在插件或其前面的代理中停用该行为。',
    },
    noResponse: 'upgrade',
    label: { en: 'Protocol switch not requested', zh: '收到未请求的协议切换' },
    code: 'PLUGIN_RESULT_UNKNOWN',
    isUnread: true,
  },
  callEncoded: {
    title: {
      en: 'The plugin’s response has an encoding that was not requested',
      zh: '插件的响应使用了未请求的编码',
    },
    message: {
      en: 'The response of plugin {plugin} has a Content-Encoding that was not requested and could not be read. Turn it off in the plugin or in the proxy in front of it.',
      zh: '插件 {plugin} 的响应使用了未请求的 Content-Encoding，无法读取。请在插件或其前面的代理中停用该编码。',
    },
    noResponse: 'encoding',
    label: { en: 'Encoding not requested', zh: '使用了未请求的编码' },
    code: 'PLUGIN_RESULT_UNKNOWN',
    isUnread: true,
  },
  callTooLarge: {
    title: { en: 'The plugin’s response is too large', zh: '插件的响应过大' },
    message: {
      en: 'The response of plugin {plugin} exceeds the size limit.',
      zh: '插件 {plugin} 的响应超出大小限制。',
    },
    noResponse: 'too-large',
    label: { en: 'Response too large', zh: '响应过大' },
    code: 'PLUGIN_RESULT_UNKNOWN',
    isUnread: true,
  },
  callAborted: {
    message: {
      en: 'The runtime stopped while it was waiting for plugin {plugin}.',
      zh: '运行时在等待插件 {plugin} 时停止。',
    },
    noResponse: 'aborted',
    label: { en: 'Interrupted', zh: '已中断' },
    code: 'PLUGIN_RESULT_UNKNOWN',
  },
  callHttpStatus: {
    title: { en: 'The plugin returned HTTP {status}', zh: '插件返回了 HTTP {status}' },
    message: {
      en: 'Plugin {plugin} responded with HTTP status {status}.',
      zh: '插件 {plugin} 返回了 HTTP 状态码 {status}。',
    },
  },
  callLimited: {
    title: { en: 'The plugin limits the rate of calls', zh: '插件限制了调用频率' },
    message: {
      en: 'Plugin {plugin} limits the rate of calls and refused the call with HTTP status 429.',
      zh: '插件 {plugin} 限制了调用频率，以 HTTP 状态码 429 拒绝了调用。',
    },
  },
  callLimitedFor: {
    title: { en: 'The plugin limits the rate of calls', zh: '插件限制了调用频率' },
    message: {
      en: 'Plugin {plugin} limits the rate of calls and refused the call with HTTP status 429. It asks to wait {seconds} s.',
      zh: '插件 {plugin} 限制了调用频率，以 HTTP 状态码 429 拒绝了调用，并要求等待 {seconds} 秒。',
    },
  },
  callNotJson: {
    title: { en: 'The plugin’s response is not JSON', zh: '插件的响应不是 JSON' },
    message: {
      en: 'The response of plugin {plugin} is not JSON or was cut off.',
      zh: '插件 {plugin} 的响应不是 JSON 或不完整。',
    },
  },
  callWebPage: {
    title: { en: 'A web page responded instead of the plugin', zh: '返回的是网页，而不是插件的响应' },
    message: {
      en: 'The endpoint of plugin {plugin} responded with a web page instead of JSON. It may come from a proxy or a sign-in page in front of the plugin.',
      zh: '插件 {plugin} 的端点返回了网页而不是 JSON，响应可能来自插件前面的代理或登录页。',
    },
  },
  callEchoDiffers: {
    title: { en: 'The plugin’s response does not match the request', zh: '插件的响应与请求不一致' },
    message: {
      en: 'The response of plugin {plugin} is not valid: {field} must be the same as in the request. Check what responds at the endpoint of the plugin.',
      zh: '插件 {plugin} 的响应无效：{field} 必须与请求一致。请检查由什么在插件的端点响应。',
    },
    isInvalid: true,
  },
  callWriteNotAllowed: {
    title: { en: 'The plugin wrote a property that it must not write', zh: '插件写入了不允许写入的属性' },
    message: {
      en: 'The response of plugin {plugin} is not valid: it writes {property} of {locator}, which is not in its writeProperties. Fix the plugin, then retry the operation; if the manifest is wrong, the bundle needs a new version.',
      zh: '插件 {plugin} 的响应无效：它写入了 {locator} 的属性 {property}，而该属性不在其 writeProperties 中。请修复插件，然后重试操作；如果清单有误，则 Bundle 需要新版本。',
    },
    isInvalid: true,
    writeRule: 'PROPERTY_NOT_AUTHORIZED',
  },
  callWriteNoResource: {
    title: { en: 'The plugin wrote a property that it must not write', zh: '插件写入了不允许写入的属性' },
    message: {
      en: 'The response of plugin {plugin} is not valid: it writes to {locator}, which its authorization does not include. Fix the plugin, then retry the operation; if the manifest is wrong, the bundle needs a new version.',
      zh: '插件 {plugin} 的响应无效：它写入了 {locator}，而其授权不包含该资源。请修复插件，然后重试操作；如果清单有误，则 Bundle 需要新版本。',
    },
    isInvalid: true,
    writeRule: 'RESOURCE_NOT_AUTHORIZED',
  },
  callWriteResourceUnknown: {
    title: { en: 'The plugin wrote a property that it must not write', zh: '插件写入了不允许写入的属性' },
    message: {
      en: 'The response of plugin {plugin} is not valid: it writes to a resource that is not part of the operation. Fix the plugin, then retry the operation.',
      zh: '插件 {plugin} 的响应无效：它写入了不属于此操作的资源。请修复插件，然后重试操作。',
    },
    isInvalid: true,
    writeRule: 'RESOURCE_UNKNOWN',
  },
  callWritePropertyUnknown: {
    title: { en: 'The plugin wrote a property that it must not write', zh: '插件写入了不允许写入的属性' },
    message: {
      en: 'The response of plugin {plugin} is not valid: it writes a property that {locator} does not have. Fix the plugin, then retry the operation.',
      zh: '插件 {plugin} 的响应无效：它写入了 {locator} 没有的属性。请修复插件，然后重试操作。',
    },
    isInvalid: true,
    writeRule: 'PROPERTY_UNKNOWN',
  },
  callWriteProtected: {
    title: { en: 'The plugin wrote a property that it must not write', zh: '插件写入了不允许写入的属性' },
    message: {
      en: 'The response of plugin {plugin} is not valid: it writes the protected property of {locator}, which only the runtime writes. Fix the plugin, then retry the operation.',
      zh: '插件 {plugin} 的响应无效：它写入了 {locator} 的受保护属性，而该属性只能由运行时写入。请修复插件，然后重试操作。',
    },
    isInvalid: true,
    writeRule: 'PROPERTY_PROTECTED',
  },
  callInvalid: {
    title: { en: 'The plugin sent an invalid response', zh: '插件的响应无效' },
    message: {
      en: 'The response of plugin {plugin} is not valid: {problem}. Fix the plugin, then retry the operation.',
      zh: '插件 {plugin} 的响应无效：{problem}。请修复插件，然后重试操作。',
    },
    isInvalid: true,
  },
  callForeign: {
    title: { en: 'The response is not that of a plugin', zh: '收到的不是插件的响应' },
    message: {
      en: 'The response at the endpoint of plugin {plugin} has no field of a plugin’s response. A gateway or another service may have responded.',
      zh: '插件 {plugin} 的端点返回的响应没有插件响应的任何字段，可能是网关或其他服务作出了响应。',
    },
    isInvalid: true,
  },
  callFailedSilently: {
    message: {
      en: 'Plugin {plugin} failed with {errorCode} without a message.',
      zh: '插件 {plugin} 执行失败，错误码为 {errorCode}，未提供说明。',
    },
  },
  callReportedFailed: {
    title: { en: 'The plugin reported that it failed', zh: '插件报告执行失败' },
    message: {
      en: 'Plugin {plugin} reported that it failed. Find the cause in the plugin, then retry the operation, or take it over and detach.',
      zh: '插件 {plugin} 报告执行失败。请在插件中查明原因，然后重试操作，或接管并分离。',
    },
  },
  callReportedUnknown: {
    title: { en: 'The plugin does not know its result', zh: '插件无法确定执行结果' },
    message: {
      en: 'Plugin {plugin} reported that it does not know its result.',
      zh: '插件 {plugin} 报告无法确定执行结果。',
    },
  },
  callInterrupted: {
    message: {
      en: 'The runtime was interrupted while it was waiting for plugin {plugin}. The call was repeated.',
      zh: '运行时在等待插件 {plugin} 时中断，已重新调用。',
    },
  },
  callNotRecorded: {
    message: {
      en: 'The database accepted no writes, so the result of the call to plugin {plugin} could not be recorded. The call was repeated.',
      zh: '数据库当时不接受写入，因此无法记录对插件 {plugin} 的调用结果，已重新调用。',
    },
  },
  callRuntimeError: {
    title: { en: 'The runtime failed while calling the plugin', zh: '运行时在调用插件时出错' },
    message: {
      en: 'The runtime failed while it was calling plugin {plugin}. Check the runtime’s log.',
      zh: '运行时在调用插件 {plugin} 时发生内部错误。请查看运行时日志。',
    },
  },
  callDeferred: {
    message: {
      en: 'The runtime had no capacity for this call to plugin {plugin}, so it will send it later.',
      zh: '运行时暂无余量调用插件 {plugin}，本次调用未发送，稍后会发送。',
    },
    wasReceived: false,
  },
  callUnexplained: {
    message: {
      en: 'The call of plugin {plugin} failed. Retry the operation.',
      zh: '对插件 {plugin} 的调用失败。请重试操作。',
    },
  },
  pluginNotRegistered: {
    title: { en: 'The plugin was disabled or not registered', zh: '插件已停用或未注册' },
    message: {
      en: 'Plugin {plugin} is not registered or is disabled, so it was not called. Ask an administrator, then retry the operation.',
      zh: '插件 {plugin} 未注册或已停用，因此未被调用。请联系管理员，然后重试操作。',
    },
    wasReceived: false,
  },
  pluginRetired: {
    title: { en: 'The plugin is retired', zh: '插件已退役' },
    message: {
      en: 'Plugin {plugin} is retired and is not called. Take the operation over, or reinstate the plugin, then retry the operation.',
      zh: '插件 {plugin} 已退役，不再调用。请接管此操作，或恢复该插件，然后重试操作。',
    },
    wasReceived: false,
  },
} as const satisfies Readonly<Record<string, CallCause>>

type Causes = typeof CALL_CAUSES
export type CallCauseReason = keyof Causes

/** The cause with this reason; undefined for other messages, and for a reason of a newer runtime. */
export const callCause = (reason: string): CallCause | undefined =>
  Object.hasOwn(CALL_CAUSES, reason) ? CALL_CAUSES[reason as CallCauseReason] : undefined

/** Reasons of the causes that have this member. */
type ReasonWith<Member extends string> = {
  [Reason in CallCauseReason]: Causes[Reason] extends Record<Member, unknown> ? Reason : never
}[CallCauseReason]
export type TitledReason = ReasonWith<'title'>
type Titles<In extends Language> = { readonly [Reason in TitledReason]: Causes[Reason]['title'][In] }
type CauseMessages<In extends Language> = {
  readonly [Reason in CallCauseReason]: Causes[Reason]['message'][In]
}

/** The titles in one language, by reason. */
export const causeTitles = <In extends Language>(language: In): Titles<In> =>
  collect(({ title }) => title?.[language])

/** The messages in one language, by reason. */
export const causeMessages = <In extends Language>(language: In): CauseMessages<In> =>
  collect(({ message }) => message[language])

/** Why there is no response from any receiver, in a few words of one language. */
export const noResponseLabels = (language: Language): Readonly<Record<NoResponse, string>> => {
  const labels = Object.values<CallCause>(CALL_CAUSES).flatMap(({ noResponse, label }) =>
    noResponse === undefined ? [] : [[noResponse, label[language]] as const],
  )
  // the table has each of these reasons
  return Object.fromEntries(labels) as Record<NoResponse, string>
}

/** What each cause has of something, by reason; the caller says which texts these are. */
function collect<Result>(pick: (cause: CallCause) => string | undefined): Result {
  const entries = Object.entries(CALL_CAUSES).map(([reason, cause]) => [reason, pick(cause)] as const)
  return Object.fromEntries(entries.filter(([, text]) => text !== undefined)) as Result
}

type NoResponseReason = ReasonWith<'noResponse'>
/** Why a call got no response. */
export type NoResponse = Causes[NoResponseReason]['noResponse']

export const isNoResponse = (reason: string): reason is NoResponse =>
  Object.values<CallCause>(CALL_CAUSES).some(({ noResponse }) => noResponse === reason)

/** The cause of a call without a response, and the error code of its failure. */
export function causeOfNoResponse(noResponse: NoResponse): {
  reason: NoResponseReason
  code: Causes[NoResponseReason]['code']
} {
  const reasons = Object.keys(CALL_CAUSES) as NoResponseReason[]
  const reason = reasons.find((one) => CALL_CAUSES[one].noResponse === noResponse)
  if (reason === undefined) throw new Error(`There is no cause for ${noResponse}`)
  return { reason, code: CALL_CAUSES[reason].code }
}

const reasonsWith = (holds: (cause: CallCause) => boolean): ReadonlySet<string> =>
  new Set(Object.entries(CALL_CAUSES).flatMap(([reason, cause]) => (holds(cause) ? [reason] : [])))

/** Reasons of calls that the plugin cannot have acted on. */
export const NOT_RECEIVED = reasonsWith(({ wasReceived }) => wasReceived === false)
/** Reasons of responses that break the protocol. */
export const INVALID_RESPONSE = reasonsWith(({ isInvalid }) => isInvalid === true)
/** Reasons of responses that are not recorded with their status. */
export const UNREAD_RESPONSE = reasonsWith(({ isUnread }) => isUnread === true)
