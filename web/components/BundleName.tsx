/** The title of a bundle, and its id if that differs. */
export function BundleName({ title, bundle }: { title: string | null; bundle: { bundleId: string } }) {
  if (title === null) return <span className="mono">{bundle.bundleId}</span>
  return (
    <>
      {title} <span className="mono ml-1 font-normal text-faint">{bundle.bundleId}</span>
    </>
  )
}
