import { Skeleton } from '../../../ui/Skeleton.tsx'

/** The history while it loads: its filters, then its entries. */
export function HistorySkeleton() {
  return (
    <div aria-hidden="true">
      <div className="mb-4 flex flex-wrap gap-2">
        {['w-24', 'w-23', 'w-22', 'w-20', 'w-56'].map((width) => (
          <Skeleton key={width} className={`h-8! rounded-md ${width}`} />
        ))}
      </div>
      <EntriesSkeleton />
    </div>
  )
}

/** Three entries: who and when, why, and a change. */
export function EntriesSkeleton() {
  return (
    <div aria-hidden="true" className="divide-y divide-line">
      {[0, 1, 2].map((entry) => (
        <div key={entry} className="space-y-2 py-4">
          <Skeleton className="w-72 max-w-full" />
          <Skeleton className="w-40" />
          <Skeleton className="h-16! rounded-lg" />
        </div>
      ))}
    </div>
  )
}
