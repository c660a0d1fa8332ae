import { parseStrictJson } from '#contract/protocol/strict-json.ts'
import { OPERATION_TYPES } from '#contract/protocol/vocabulary.ts'
import type { Operation } from '#contract/runtime-api/operations.ts'
import { FAULTS, isTokenRefused } from './fault-proxy.ts'
import type { Fault, PassedCall } from './fault-proxy.ts'
import type { ReceivedEvent } from './received-events.ts'

type ShownOperation = Pick<Operation, 'operationId' | 'operationType' | 'state' | 'createdAt' | 'finishedAt'>

/** What the page shows. */
export interface Controls {
  pluginId: string
  consoleUrl: string
  /** The platform API base of the plugin. */
  platform: string
  operations: readonly ShownOperation[]
  planted: Fault | null
  calls: readonly PassedCall[]
  events: readonly ReceivedEvent[]
  /** The output of the plugin; null if plugin-dev did not start it. */
  output: string | null
  /** The result of the last button, such as a refusal; null if there is nothing to say. */
  notice: string | null
  /** The body in the field for resending, and the response to it; null before the first call. */
  resend: { body: string; response: string | null } | null
}

export const NOT_STARTED_HERE =
  'To kill the plugin, let plugin-dev start it: give the profile a start.command, stop the plugin, and start plugin-dev again.'

/** The page as HTML without scripts. */
export function renderPage({ pluginId, consoleUrl, platform, ...controls }: Controls): string {
  const { operations, planted, calls, events, output, notice, resend } = controls
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escape(pluginId)} - plugin-dev</title>
<style>${STYLE}</style>${operations.some(isNew) ? '\n<meta http-equiv="refresh" content="1; url=/">' : ''}
</head>
<body>
<h1>${escape(pluginId)}</h1>
${notice === null ? '' : `<p role="status">${escape(notice)}</p>`}
<h2>Operations</h2>
${form('/start', OPERATION_TYPES.map((type) => button('type', type, type)).join(''))}
${operations.some(({ finishedAt }) => finishedAt === null) ? '<p>An operation has not finished. <a href="/">Reload</a></p>' : ''}
<ul>${operations.map((operation) => operationItem(operation, consoleUrl)).join('')}</ul>
<h2>Fault in the next call</h2>
${form(
  '/fault',
  Object.entries(FAULTS)
    .filter(([fault]) => fault !== 'killed' || output !== null)
    .map(([fault, title]) => button('fault', fault, title, planted === fault))
    .join('') + button('fault', 'none', 'None', planted === null),
)}
${output === null ? `<p>${escape(NOT_STARTED_HERE)}</p>` : ''}
<h2>Calls</h2>
${calls.length === 0 ? '<p>The plugin has not been called yet.</p>' : calls.map((call) => callItem(call, platform)).join('')}
${events.length === 0 ? '' : `<h2>Events from the plugin</h2>${events.map(eventItem).join('')}`}
${resend === null ? '' : resendForm(resend, platform)}
${output === null ? '' : `<h2>Output of the plugin</h2>${form('/restart', button('', '', 'Start the plugin again'))}<pre>${escape(output)}</pre>`}
</body>
</html>
`
}

/** Later, it would disturb a person who reads an open call or edits its body. */
const REFRESHED_MS = 15_000

/** Whether the operation will probably end while a person waits for it. */
const isNew = ({ createdAt, finishedAt }: ShownOperation): boolean =>
  finishedAt === null && Date.now() - Date.parse(createdAt) < REFRESHED_MS

const operationItem = ({ operationId, operationType, state }: ShownOperation, consoleUrl: string): string =>
  `<li><a href="${escape(`${consoleUrl}/operations/${operationId}`)}">${operationType} ${state}</a></li>`

const callItem = ({ at, fault, request, responses }: PassedCall, platform: string): string =>
  `<details><summary>${at.toISOString().slice(11, 23)} ${escape(titleOf(request))}: ${escape(responses.map(outcomeOf).join(' and ') || 'no response yet')}${fault === null ? '' : ` (${FAULTS[fault]}${comparison(responses)})`}</summary>
<pre>${escape(pretty(request))}</pre>${responses.map((text) => responseItem(text, platform)).join('')}</details>`

/** Of a call that was sent twice, whether both responses are the same bytes. */
const comparison = ([first, second]: readonly string[]): string =>
  second === undefined ? '' : `: the responses ${first === second ? 'are equal' : 'differ'}`

const responseItem = (text: string, platform: string): string =>
  `<pre>${escape(pretty(text))}</pre>${
    isTokenRefused(text)
      ? `<p>The plugin refused the token. Configure it with the platform API base <code>${escape(platform)}</code>, which signs the tokens of this runtime, and start it again.</p>`
      : ''
  }`

const eventItem = ({ at, serviceId, method, eventId, payload }: ReceivedEvent): string =>
  `<details><summary>${at.toISOString().slice(11, 23)} ${escape(method)} to ${escape(serviceId)}, ${escape(eventId)}</summary>
<pre>${escape(pretty(payload))}</pre></details>`

const resendForm = ({ body, response }: NonNullable<Controls['resend']>, platform: string): string =>
  `<h2>Edit and resend</h2>
<p>Goes to the plugin with a new token, and not through the runtime. What is not edited is sent with the bytes of the call.</p>
${form('/resend', `<textarea name="body" rows="16" aria-label="Body">${escape(pretty(body))}</textarea>${button('', '', 'Send')}`)}
${response === null ? '' : responseItem(response, platform)}`

const form = (action: string, content: string): string =>
  `<form method="post" action="${action}">${content}</form>`

const button = (name: string, value: string, text: string, isPressed = false): string =>
  `<button${name === '' ? '' : ` name="${name}" value="${escape(value)}"`}${isPressed ? ' aria-pressed="true"' : ''}>${escape(text)}</button> `

function titleOf(request: string): string {
  try {
    const { operation, stage, executionSequence } = JSON.parse(request)
    return `${operation.operationType} ${stage}, sequence ${executionSequence}`
  } catch {
    return 'a body that is not JSON'
  }
}

/** The outcome or the error code in a response of the plugin; of anything else, its first line. */
function outcomeOf(response: string): string {
  try {
    const { errorCode, data } = JSON.parse(response)
    return String((errorCode === '0' ? data.outcome : errorCode) ?? 'not an envelope')
  } catch {
    return response.split('\n')[0]?.slice(0, 80) || 'an empty response'
  }
}

/** JSON with one field per line; other text, and JSON that would change, as it is. */
export function pretty(text: string): string {
  try {
    return JSON.stringify(parseStrictJson(text), null, 2)
  } catch {
    return text
  }
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

const escape = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? '')

const STYLE = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif }
body { margin: 2rem auto; max-width: 60rem; padding: 0 1rem }
pre, textarea { font: 13px/1.4 ui-monospace, monospace }
pre { overflow: auto; padding: .5rem; border: 1px solid #8888; max-height: 30rem }
summary { overflow-wrap: anywhere; padding: .25rem 0 .25rem 1.25rem; text-indent: -1.25rem }
ul { padding-left: 1.25rem }
li { padding: .125rem 0 }
textarea { box-sizing: border-box; width: 100% }
button { margin: 0 .25rem .25rem 0; min-height: 2rem; padding: .25rem .75rem }
button[aria-pressed] { font-weight: bold; outline: 2px solid }
[role=status] { border-left: 4px solid; padding-left: .5rem }
`
