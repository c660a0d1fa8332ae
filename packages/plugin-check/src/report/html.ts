import type { Status } from '../run/judges.ts'
import { escape, mark } from './formats.ts'
import type { Report, ReportedCase, ReportedExchange } from './report.ts'

const STYLE = `
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 20%, transparent) }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem }
h1 { font-size: 1.5rem } h2 { font-size: 1.1rem; margin-top: 2rem }
table { border-collapse: collapse; width: 100% } th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top }
details { border-bottom: 1px solid var(--line); padding: .4rem 0 } summary { cursor: pointer }
code, pre { font: 13px/1.4 ui-monospace, monospace } pre { overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; border: 1px solid var(--line); padding: .6rem }
.FAILED, .BLOCKED { color: light-dark(#b42318, #ff8a7a) } .PASSED { color: light-dark(#1a7f37, #5fd38a) }
`

/**
 * One file that loads nothing: everything is in it, and its content security policy forbids the network. Without
 * `docsUrl`, the text of the cases in this file is all there is.
 */
export function toHtml(report: Report): string {
  const { docsUrl } = report
  const { PASSED, FAILED, BLOCKED, NOT_TESTED } = report.totals
  const untested = report.cases.filter(({ status }) => status === 'NOT_TESTED')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>plugin-check: ${escape(report.pluginId)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escape(report.pluginId)}: <span class="${report.passed ? 'PASSED' : 'FAILED'}">${report.passed ? 'passed' : 'failed'}</span></h1>
<table>
<tr><th>Address</th><td>${escape(report.url)}</td></tr>
<tr><th>Time</th><td>${escape(report.startedAt)}, ${(report.durationMs / 1000).toFixed(1)} s</td></tr>
<tr><th>Cases</th><td>${PASSED} passed, ${FAILED} failed, ${BLOCKED} blocked, ${NOT_TESTED} not tested</td></tr>
<tr><th>Reproduce</th><td><code>plugin-check run --url ${escape(report.url)} --seed ${report.seed}</code></td></tr>
<tr><th>Checker</th><td>${escape(report.checkerVersion)}</td></tr>
</table>
<h2>Not tested</h2>
${untested.length === 0 ? '<p>Everything was tested.</p>' : list(untested)}
<h2>Cases</h2>
${findingsFirst(report.cases)
  .map((one) => caseHtml(one, docsUrl))
  .join('\n')}
</body>
</html>
`
}

const ORDER: readonly Status[] = ['FAILED', 'BLOCKED', 'PASSED', 'NOT_TESTED']

const findingsFirst = (cases: readonly ReportedCase[]): ReportedCase[] =>
  cases.toSorted((one, two) => ORDER.indexOf(one.status) - ORDER.indexOf(two.status))

const list = (cases: readonly ReportedCase[]): string =>
  `<ul>${cases.map(({ id, problem }) => `<li><a href="#${escape(id)}">${escape(id)}</a>: ${escape(problem ?? '')}</li>`).join('')}</ul>`

function caseHtml(one: ReportedCase, docsUrl: string | null): string {
  const page =
    docsUrl === null
      ? ''
      : `<p><a href="${escape(`${docsUrl.replace(/\/+$/, '')}/cases.md#${one.id}`)}">About this case</a></p>`
  return `<details id="${escape(one.id)}"${one.status === 'FAILED' || one.status === 'BLOCKED' ? ' open' : ''}>
<summary><span class="${one.status}">${mark(one.status)} ${one.status}</span> <code>${escape(one.id)}</code> ${escape(one.title)} (${one.level})</summary>
${one.problem === null ? '' : `<p class="${one.status}">${escape(one.problem)}</p>`}
<p>Fix: ${escape(one.fix)}</p>
<p>Rule: <code>docs/protocol.md#${escape(one.rule)}</code></p>
${page}
${one.exchanges.map(exchangeHtml).join('\n')}
</details>`
}

const exchangeHtml = (exchange: ReportedExchange): string =>
  `<pre>${escape(`${exchange.method} ${exchange.url}\n${exchange.requestBody}\n\n${exchange.status ?? exchange.problem ?? ''} (${exchange.ms} ms)\n${exchange.responseBody}`)}</pre>`
