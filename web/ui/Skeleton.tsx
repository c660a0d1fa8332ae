import { cx } from './class-names.ts'

/** A placeholder for content that is loading. Give it the size of the content. */
export function Skeleton({ className }: { className?: string | undefined }) {
  return (
    <span
      aria-hidden="true"
      className={cx('block h-3.5 animate-breathe rounded-sm bg-selected', className)}
    />
  )
}

export function SkeletonLines({ lines = 3 }: { lines?: number }) {
  return (
    <div className="space-y-2.5" aria-hidden="true">
      {Array.from({ length: lines }, (_, index) => (
        <Skeleton key={index} className={index % 3 === 2 ? 'w-2/5' : index % 2 === 1 ? 'w-4/5' : 'w-3/5'} />
      ))}
    </div>
  )
}
