/** The logo: a bundle, seen from its corner. */
export function Brand() {
  return (
    <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true" className="shrink-0">
      <rect width="20" height="20" rx="5" fill="var(--ink)" />
      <path
        d="M5.5 7.6 10 5.200l4.5 2.400v4.800L10 14.800l-4.5-2.400zM5.5 7.600l4.5 2.4 4.5-2.400M10 10v4.8"
        fill="none"
        stroke="var(--inverse)"
        strokeWidth="1.3"
        strokeLinejoin="round"
      />
    </svg>
  )
}
