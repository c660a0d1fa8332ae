import type { Runbook } from '#contract/console-api/shapes.ts'
import { hostOf } from '#contract/console-api/vocabulary.ts'
import { ExternalLink } from '../../ui/Link.tsx'
import { OwnerText } from './PluginLink.tsx'

/** Its title, linked if it has an address, its text, and who is responsible. */
export function RunbookText({ runbook: { title, text, url, owner } }: { runbook: Runbook }) {
  return (
    <>
      <p className="wrap-anywhere">
        {url === undefined ? (
          <span className="font-medium">{title}</span>
        ) : (
          <OutsideLink href={url} text={title} />
        )}
        {owner && (
          <>
            {'\u00a0· '}
            <OwnerText owner={owner} />
          </>
        )}
      </p>
      {text !== undefined && <p className="max-w-[80ch] wrap-anywhere whitespace-pre-wrap">{text}</p>}
    </>
  )
}

/** A link out of the console, with the host that it leads to: its text must not hide it. */
export function OutsideLink({ href, text }: { href: string; text: string }) {
  return (
    <>
      <ExternalLink href={href}>{text}</ExternalLink>{' '}
      <span className="mono text-xs text-muted">{hostOf(href)}</span>
    </>
  )
}
