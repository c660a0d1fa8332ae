import { paths } from '../../addresses/paths.ts'
import { cx } from '../../ui/class-names.ts'
import { PlainLink } from '../../ui/Link.tsx'

/** The id of a plugin in a sentence or a row, as a link that looks like its text until it is pointed at. */
export function PluginLink({ pluginId, className }: { pluginId: string; className?: string }) {
  return (
    <PlainLink
      to={paths.plugin(pluginId)}
      className={cx('target mono rounded-sm hover:underline', className)}
    >
      {pluginId}
    </PlainLink>
  )
}
