/** Locator → properties that were marked as sensitive later. */
export type Marks = ReadonlyMap<string, ReadonlySet<string>>
