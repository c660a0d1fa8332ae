import type { CallCauseReason } from './call-causes.ts'

/** What the runtime says about each cause; `{name}` is replaced by the parameter of that name. */
export const CALL_MESSAGES = {
  callTimeout: 'Plugin {plugin} did not respond within {seconds} s.',
  callRefused: 'The connection to plugin {plugin} was refused. Check that the plugin is running.',
  callNoRoute:
    'The network has no route to the host of plugin {plugin}. Check that the host is running, and the network between.',
  callNoSocket:
    'The runtime had no free socket or port to call plugin {plugin}. Check the limits of its host: open files, local ports, memory.',
  callHostUnknown: 'The host of plugin {plugin} was not found. Check the endpoint of the plugin.',
  callTlsFailed:
    'A secure connection to plugin {plugin} could not be established. Check that its endpoint uses HTTPS.',
  callTlsUntrusted:
    'The certificate of plugin {plugin} is not signed by an authority that this platform trusts. It may be self-signed.',
  callTlsExpired: 'The certificate of plugin {plugin} has expired.',
  callTlsEarly: 'The certificate of plugin {plugin} is not valid yet.',
  callTlsWrongName: 'The certificate of plugin {plugin} is not valid for the host name of its endpoint.',
  callEgressDenied: 'This deployment does not allow the endpoint of plugin {plugin}.',
  callReset: 'The connection to plugin {plugin} was lost before a response arrived.',
  callRedirected:
    'The endpoint of plugin {plugin} redirects. Redirects are not followed: register the final address.',
  callRedirectedTo:
    'The endpoint of plugin {plugin} redirects to {origin}. Redirects are not followed: register the final address.',
  callRedirectedAway:
    'The endpoint of plugin {plugin} redirects to {origin}, which is another host. A sign-in proxy may be in front of the plugin.',
  callNotHttp: 'The endpoint of plugin {plugin} does not respond with valid HTTP. Check its host and port.',
  callCut: 'The response of plugin {plugin} was cut off.',
  callContinue:
    'The endpoint of plugin {plugin} sent “100 Continue”, which was not requested. Stop this in the plugin or in the proxy in front of it.',
  callUpgrade:
    'The endpoint of plugin {plugin} responded with “101 Switching Protocols”, which was not requested. Stop this in the plugin or in the proxy in front of it.',
  callEncoded:
    'The response of plugin {plugin} has a Content-Encoding that was not requested and could not be read. Turn it off in the plugin or in the proxy in front of it.',
  callTooLarge: 'The response of plugin {plugin} exceeds the size limit.',
  callAborted: 'The runtime stopped while it was waiting for plugin {plugin}.',
  callHttpStatus: 'Plugin {plugin} responded with HTTP status {status}.',
  callLimited: 'Plugin {plugin} limits the rate of calls and refused the call with HTTP status 429.',
  callLimitedFor:
    'Plugin {plugin} limits the rate of calls and refused the call with HTTP status 429. It asks to wait {seconds} s.',
  callNotJson: 'The response of plugin {plugin} is not JSON or was cut off.',
  callWebPage:
    'The endpoint of plugin {plugin} responded with a web page instead of JSON. It may come from a proxy or a sign-in page in front of the plugin.',
  callEchoDiffers:
    'The response of plugin {plugin} is not valid: {field} must be the same as in the request. Check what responds at the endpoint of the plugin.',
  callWriteNotAllowed:
    'The response of plugin {plugin} is not valid: it writes {property} of {locator}, which is not in its writeProperties. Fix the plugin, then retry the operation; if the manifest is wrong, the bundle needs a new version.',
  callWriteNoResource:
    'The response of plugin {plugin} is not valid: it writes to {locator}, which its authorization does not include. Fix the plugin, then retry the operation; if the manifest is wrong, the bundle needs a new version.',
  callWriteResourceUnknown:
    'The response of plugin {plugin} is not valid: it writes to a resource that is not part of the operation. Fix the plugin, then retry the operation.',
  callWritePropertyUnknown:
    'The response of plugin {plugin} is not valid: it writes a property that {locator} does not have. Fix the plugin, then retry the operation.',
  callWriteProtected:
    'The response of plugin {plugin} is not valid: it writes the protected property of {locator}, which only the runtime writes. Fix the plugin, then retry the operation.',
  callInvalid:
    'The response of plugin {plugin} is not valid: {problem}. Fix the plugin, then retry the operation.',
  callForeign:
    'The response at the endpoint of plugin {plugin} has no field of a plugin’s response. A gateway or another service may have responded.',
  callFailedSilently: 'Plugin {plugin} failed with {errorCode} without a message.',
  callReportedFailed:
    'Plugin {plugin} reported that it failed. Find the cause in the plugin, then retry the operation, or take it over and detach.',
  callReportedUnknown: 'Plugin {plugin} reported that it does not know its result.',
  callInterrupted:
    'The runtime was interrupted while it was waiting for plugin {plugin}. The call was repeated.',
  callNotRecorded:
    'The database accepted no writes, so the result of the call to plugin {plugin} could not be recorded. The call was repeated.',
  callRuntimeError: 'The runtime failed while it was calling plugin {plugin}. Check the runtime’s log.',
  callDeferred: 'The runtime had no capacity for this call to plugin {plugin}, so it will send it later.',
  callUnexplained: 'The call of plugin {plugin} failed. Retry the operation.',
  pluginNotRegistered:
    'Plugin {plugin} is not registered or is disabled, so it was not called. Ask an administrator, then retry the operation.',
  pluginRetired:
    'Plugin {plugin} is retired and is not called. Take the operation over, or reinstate the plugin, then retry the operation.',
} as const satisfies Readonly<Record<CallCauseReason, string>>
