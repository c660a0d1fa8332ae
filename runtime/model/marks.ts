/** Locator → properties that were later marked as sensitive. */
export type Marks = ReadonlyMap<string, ReadonlySet<string>>
