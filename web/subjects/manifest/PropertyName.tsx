/** The title of a property beside its name, which plugins use; the name alone if it has no title. */
export function PropertyName({ name, title = name }: { name: string; title?: string | undefined }) {
  if (title === name) return <span className="mono wrap-anywhere text-ink">{name}</span>
  return (
    <span className="font-sans wrap-anywhere text-ink">
      {title} <span className="mono text-xs font-normal text-faint">{name}</span>
    </span>
  )
}
