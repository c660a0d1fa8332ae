const apple = /mac|iphone|ipad/i.test(navigator.userAgent)

/** Keys to press. `mod` is ⌘ on a Mac and Ctrl elsewhere. */
export function Keys({ keys }: { keys: readonly string[] }) {
  return (
    <span aria-hidden="true" className="inline-flex gap-0.5">
      {keys.map((key) => (
        <kbd
          key={key}
          className="inline-flex h-4.5 min-w-4.5 items-center justify-center rounded-sm border border-current/25 px-1 font-sans text-xs"
        >
          {key === 'mod' ? (apple ? '⌘' : 'Ctrl') : key}
        </kbd>
      ))}
    </span>
  )
}
