import type { PluginOwner } from '#contract/console-api/shapes.ts'
import { paths } from '../../addresses/paths.ts'
import { cx } from '../../ui/class-names.ts'
import { PlainLink, ExternalLink } from '../../ui/Link.tsx'

/** The id of a plugin in a sentence or a row, as a link that looks like its text until it is pointed at. */
export function PluginLink({
  pluginId,
  className,
  isClamped = false,
}: {
  pluginId: string
  className?: string
  /** At most two lines. */
  isClamped?: boolean
}) {
  return (
    <PlainLink
      to={paths.plugin(pluginId)}
      className={cx('target mono rounded-sm hover:underline', className)}
    >
      {/* not of the link: its padding would show the top of the line that is cut off */}
      {isClamped ? <span className="line-clamp-2 wrap-anywhere">{pluginId}</span> : pluginId}
    </PlainLink>
  )
}

/** The team that is responsible for a plugin, linked to where it can be reached. */
export function OwnerText({ owner: { team, contact } }: { owner: PluginOwner }) {
  return contact === undefined ? <>{team}</> : <ExternalLink href={contact}>{team}</ExternalLink>
}
