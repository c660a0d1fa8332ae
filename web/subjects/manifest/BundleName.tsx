import { cx } from '../../ui/class-names.ts'

/** The title of a bundle, and its id if that differs. */
export function BundleName({
  title,
  bundle,
  idClass,
}: {
  title: string | null
  bundle: { bundleId: string }
  /** For the id, such as when it is hidden. */
  idClass?: string
}) {
  if (title === null) return <span className="mono">{bundle.bundleId}</span>
  return (
    <>
      {title} <span className={cx('mono ml-1 font-normal text-faint', idClass)}>{bundle.bundleId}</span>
    </>
  )
}
