import type { PluginOwner } from '#contract/console-api/shapes.ts'
import { ExternalLink } from '../../ui/Link.tsx'

/** The team that is responsible for a plugin, linked to where it can be reached. */
export function OwnerText({ owner: { team, contact } }: { owner: PluginOwner }) {
  return contact === undefined ? <>{team}</> : <ExternalLink href={contact}>{team}</ExternalLink>
}
